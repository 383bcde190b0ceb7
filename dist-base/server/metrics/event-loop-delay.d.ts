import { type Registry } from "prom-client";
/**
 * Measures how late a timer fires. Node's own monitor is not used: its quantiles cannot be summed over workers, and a scrape
 * that resets it takes the values away from other scrapers.
 *
 * @returns a function that stops the measurement
 */
export declare function observeEventLoopDelay(register: Registry): () => void;

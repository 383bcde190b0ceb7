/**
 * Cuts a text into parts of about `size` characters. Each cut is between an ASCII letter and a space that another ASCII
 * letter follows; a part is longer if there is no such place.
 *
 * With a splitter whose words end before spaces, the ids of the parts together are the ids of the text: BPE does not
 * merge across words, and normalization changes neither side of the cut. A single space between letters belongs to no
 * longer run of white space, which the splitter would keep together.
 */
export declare function cutAtSpaces(text: string, size: number): string[];

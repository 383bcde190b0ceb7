"""Batches as tables of Arrow, as Parquet and as datasets of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Batch, BatchError, Client, Server

pa = pytest.importorskip("pyarrow", reason="pyarrow is optional (pip install pyarrow)")

from rolltape import tables  # noqa: E402

CONCAT: dict[str, Any] = {"style": "concat", "on_mismatch": "split", "turns": True}
OPTIONS: list[dict[str, Any]] = [{"layout": "padded", **CONCAT}, {"layout": "packed", **CONCAT}, {"layout": "tree"}]


@pytest.fixture(scope="module")
def batches(server: Server) -> Iterator[list[Batch]]:
    with Client(server.url, server.admin_key) as client:
        ids = random_sessions(client, 12, seed=9)
        yield [client.export_batch(ids, **options) for options in OPTIONS]


def test_the_table_of_rows_has_columns_texts_and_tokens(batches: list[Batch]) -> None:
    for batch in batches:
        table = tables.rows(batch, tokens=True)
        assert table["row"].to_pylist() == list(range(len(batch)))
        assert table["session_id"].to_pylist() == batch.session_ids
        assert table["group_id"].to_pylist() == [row["group_id"] for row in batch.rows]
        assert table["reward"].to_pylist() == batch.rewards.tolist()
        assert table["finish_reason"].to_pylist() == batch.texts("finish_reason")
        assert table["temperature"].to_pylist() == batch.column("temperature").tolist()
        for name in ("input_ids", "loss_mask", "logprobs", "versions"):
            assert table[name].to_pylist() == [batch.row_values(row, name).tolist() for row in range(len(batch))]
        assert "input_ids" not in tables.rows(batch).column_names


def test_token_lists_of_a_packed_batch_share_its_memory(batches: list[Batch]) -> None:
    batch = batches[1]
    ids = tables.rows(batch, tokens=True)["input_ids"].chunk(0)
    assert ids.values.buffers()[1].address == batch["input_ids"].ctypes.data


def test_the_table_of_turns_has_a_row_for_each_turn(batches: list[Batch]) -> None:
    batch = batches[1]
    table = tables.turns(batch)
    rows = np.repeat(np.arange(len(batch)), np.diff(batch["cu_turns"])).tolist()
    assert table["row"].to_pylist() == rows
    assert table["session_id"].to_pylist() == [batch.session_ids[row] for row in rows]
    assert table["start"].to_pylist() == batch.turn_column("start").tolist()
    assert table["finish_reason"].to_pylist() == batch.texts("finish_reason", turns=True)
    with pytest.raises(BatchError, match="Export with turns=True"):
        tables.turns(batches[2])


def test_selected_rows_keep_their_number(batches: list[Batch]) -> None:
    part = batches[1].select([4, 2])
    assert tables.rows(part)["row"].to_pylist() == [4, 2]
    assert set(tables.turns(part)["row"].to_pylist()) == {4, 2}


def test_tables_can_be_written_as_parquet_and_used_as_a_dataset(batches: list[Batch], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = tables.rows(batches[1], tokens=True)
    parquet.write_table(table, tmp_path / "rows.parquet")
    assert parquet.read_table(tmp_path / "rows.parquet").to_pylist() == table.to_pylist()
    pytest.importorskip("datasets", reason="datasets is optional (pip install datasets)")
    dataset = tables.to_dataset(table)
    assert dataset[0]["input_ids"] == table["input_ids"][0].as_py()
    assert dataset.column_names == table.column_names

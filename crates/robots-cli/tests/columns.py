"""Opens a Parquet and an Arrow file with pyarrow and DuckDB, and compares their columns with the documented ones. Reads JSON Lines
with Polars, as documented.

columns.py docs/columns.md FILE.parquet FILE.arrow FILE.jsonl
"""

import io
import json
import re
import sys

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

doc, parquet, arrow, jsonl = sys.argv[1:]
with open(doc, encoding="utf-8") as file:
    documented = re.findall(r"^\| `(\w+)` \| ([^|]+) \| (yes|no) \|", file.read(), re.M)
of_pyarrow = {"timestamp[ms, UTC]": "timestamp[ms, tz=UTC]", "list of strings": "list<item: string>"}
expected = [(name, of_pyarrow.get(kind, kind), null == "yes") for name, kind, null in documented]
table = pq.read_table(parquet)
of_arrow = pa.ipc.open_file(arrow).read_all()
for schema in (table.schema, of_arrow.schema):
    assert [(field.name, str(field.type), field.nullable) for field in schema] == expected, schema
assert table.equals(of_arrow)
of_duckdb = {
    "string": "VARCHAR",
    "list of strings": "VARCHAR[]",
    "int64": "BIGINT",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp[ms, UTC]": "TIMESTAMP WITH TIME ZONE",
}
described = duckdb.sql(f"describe select * from read_parquet('{parquet}')").fetchall()
assert [row[:2] for row in described] == [(name, of_duckdb[kind]) for name, kind, _ in documented], described
rows = duckdb.sql(f"select count(*) from read_parquet('{parquet}')").fetchall()[0][0]
assert rows == table.num_rows > 0
# The values of a key may be null in more rows than Polars examines by default.
with open(jsonl, encoding="utf-8") as file:
    lines = file.read().splitlines()
last = json.loads(lines[0]) | {"expires_at": "2031-01-01T00:00:00Z", "licenses": ["https://example.com/l"]}
first = json.dumps(json.loads(lines[0]) | {"expires_at": None, "licenses": []})
text = "\n".join([first] * 200 + [json.dumps(last)]).encode()
try:
    pl.read_ndjson(io.BytesIO(text))
    print("Polars reads leading nulls by default: docs/columns.md can be shorter")
except pl.exceptions.ComputeError:
    pass
read = pl.read_ndjson(io.BytesIO(text), infer_schema_length=None)
assert read.height == 201 and read.schema["licenses"] == pl.List(pl.String)
assert read["expires_at"][200] == "2031-01-01T00:00:00Z"
assert pl.read_ndjson(jsonl, infer_schema_length=None).height == len(lines) == table.num_rows
print(f"Polars {pl.__version__}, pyarrow {pa.__version__}, DuckDB {duckdb.__version__}: {rows} rows, {len(documented)} columns as documented")

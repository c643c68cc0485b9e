"""Opens a Parquet and an Arrow file with pyarrow and DuckDB, and compares their columns with the documented ones.

columns.py docs/columns.md FILE.parquet FILE.arrow
"""

import re
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

doc, parquet, arrow = sys.argv[1:]
with open(doc, encoding="utf-8") as file:
    documented = re.findall(r"^\| `(\w+)` \| ([^|]+) \| (yes|no) \|", file.read(), re.M)
of_pyarrow = {"timestamp[ms, UTC]": "timestamp[ms, tz=UTC]"}
expected = [(name, of_pyarrow.get(kind, kind), null == "yes") for name, kind, null in documented]
table = pq.read_table(parquet)
of_arrow = pa.ipc.open_file(arrow).read_all()
for schema in (table.schema, of_arrow.schema):
    assert [(field.name, str(field.type), field.nullable) for field in schema] == expected, schema
assert table.equals(of_arrow)
of_duckdb = {
    "string": "VARCHAR",
    "int64": "BIGINT",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp[ms, UTC]": "TIMESTAMP WITH TIME ZONE",
}
described = duckdb.sql(f"describe select * from read_parquet('{parquet}')").fetchall()
assert [row[:2] for row in described] == [(name, of_duckdb[kind]) for name, kind, _ in documented], described
rows = duckdb.sql(f"select count(*) from read_parquet('{parquet}')").fetchall()[0][0]
assert rows == table.num_rows > 0
print(f"pyarrow {pa.__version__}, DuckDB {duckdb.__version__}: {rows} rows, {len(documented)} columns as documented")

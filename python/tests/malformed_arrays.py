"""Batches of the Arrow C interface that are wrong in ways that a reader can detect, from a generator.

A reader cannot detect a length or a last offset that lies past the memory of a buffer, as the interface does not state
the sizes of buffers. So these stay within it, or so far outside that sizes overflow.
"""

import ctypes
import random

import pyarrow as pa


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

FORMAT = {
    pa.null(): b"n",
    pa.int8(): b"c",
    pa.uint16(): b"S",
    pa.int32(): b"i",
    pa.uint32(): b"I",
    pa.int64(): b"l",
    pa.float64(): b"g",
    pa.string(): b"u",
    pa.large_string(): b"U",
    pa.string_view(): b"vu",
    pa.binary(): b"z",
    pa.large_binary(): b"Z",
    pa.binary_view(): b"vz",
    pa.timestamp("us", "UTC"): b"tsu:UTC",
}
# Formats that are not read.
UNREAD = [b"", b"b", b"e", b"+r", b"+w:3", b"+vl", b"w:2", b"d:5,2", b"ts", b"tdD", b"\xff", b":"]


class Batch:
    """A batch whose structs and buffers are copies, for changes. It keeps them alive."""

    def __init__(self, batch):
        self.kept = []
        self.releases = 0
        self.arrays = []
        self.schemas = []
        self.offsets = []
        self.other_buffers = []
        # Whether no length or offset of an array was made smaller: then the last number of its offsets buffer counts.
        self.is_whole = True
        # Whether an offset lies past the memory of its values.
        self.has_wild_offsets = False
        release = RELEASE(self.release)
        self.kept.append(release)
        self.schema = self.schema_of(batch.schema, b"+s", [self.schema_of_field(field) for field in batch.schema])
        self.array = self.array_of(batch.num_rows, 0, 0, [None], [self.array_of_array(column) for column in batch.columns])
        self.schema.release = self.array.release = release

    def release(self, _):
        self.releases += 1

    def schema_of(self, _, format, children, name=b"", dictionary=None):
        schema = Schema(format=format, name=name, flags=2, n_children=len(children))
        pointers = (ctypes.POINTER(Schema) * len(children))(*(ctypes.pointer(child) for child in children))
        schema.children = pointers
        if dictionary:
            schema.dictionary = ctypes.pointer(dictionary)
        self.kept += [schema, pointers, children, dictionary]
        self.schemas.append(schema)
        return schema

    def schema_of_field(self, field):
        data_type, name = field.type, field.name.encode()
        if pa.types.is_dictionary(data_type):
            values = self.schema_of_field(pa.field("values", data_type.value_type))
            return self.schema_of(None, FORMAT[data_type.index_type], [], name, values)
        if pa.types.is_map(data_type):
            entries = pa.struct([("key", data_type.key_type), ("value", data_type.item_type)])
            return self.schema_of(None, b"+m", [self.schema_of_field(pa.field("entries", entries))], name)
        if pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
            format = b"+l" if pa.types.is_list(data_type) else b"+L"
            return self.schema_of(None, format, [self.schema_of_field(data_type.value_field)], name)
        if pa.types.is_struct(data_type):
            return self.schema_of(None, b"+s", [self.schema_of_field(child) for child in data_type], name)
        return self.schema_of(None, FORMAT[data_type], [], name)

    def array_of(self, length, offset, nulls, buffers, children, dictionary=None):
        array = Array(length=length, offset=offset, null_count=nulls, n_buffers=len(buffers), n_children=len(children))
        copies = [ctypes.create_string_buffer(buffer, len(buffer)) if buffer else None for buffer in buffers]
        addresses = (ctypes.c_void_p * len(copies))(*(ctypes.addressof(copy) if copy else None for copy in copies))
        pointers = (ctypes.POINTER(Array) * len(children))(*(ctypes.pointer(child) for child in children))
        array.buffers, array.children = addresses, pointers
        if dictionary:
            array.dictionary = ctypes.pointer(dictionary)
        array.copies, array.extent = copies, {"length": length, "offset": offset}
        self.kept += [array, copies, addresses, pointers, children, dictionary]
        self.arrays.append(array)
        return array

    def array_of_array(self, array):
        data_type = array.type
        if pa.types.is_dictionary(data_type):
            keys = self.array_of_array(array.indices)
            keys.dictionary = ctypes.pointer(self.array_of_array(array.dictionary))
            return keys
        buffers = [buffer.to_pybytes() if buffer else None for buffer in array.buffers()[: data_type.num_buffers]]
        children = []
        if pa.types.is_map(data_type):
            entries = pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"])
            children = [self.array_of_array(entries)]
        elif pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
            children = [self.array_of_array(array.values)]
        elif pa.types.is_struct(data_type):
            children = [self.array_of_array(array.field(index)) for index in range(data_type.num_fields)]
        if data_type in (pa.string_view(), pa.binary_view()):
            buffers = [buffer.to_pybytes() if buffer else None for buffer in array.buffers()]
            lengths = b"".join(len(data or b"").to_bytes(8, "little") for data in buffers[2:])
            buffers.append(lengths or None)
        name = str(data_type).split("<")[0]
        width = 8 if name.startswith("large_") else {"string": 4, "binary": 4, "list": 4, "map": 4}.get(name)
        if width:
            # pyarrow, too, exports offsets of an empty array.
            buffers[1] = buffers[1] or bytes(width)
        made = self.array_of(len(array), array.offset, array.null_count, buffers, children)
        copies = made.copies
        if width and copies[1]:
            self.offsets.append((copies[1], width, len(array) + array.offset + 1))
        elif len(copies) > 1 and copies[1]:
            self.other_buffers.append(copies[1])
        if copies and copies[0]:
            self.other_buffers.append(copies[0])
        return made

    def __arrow_c_array__(self, requested_schema=None):
        return (
            new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )

    def change(self, rng):
        """Makes one change, and returns its name."""
        change = rng.choice([self.change_array, self.change_array, self.change_schema, self.change_offsets, self.change_buffer])
        return change(rng)

    def change_array(self, rng):
        array = rng.choice(self.arrays)
        field = rng.choice(["length", "offset", "null_count", "n_buffers", "n_children", "buffers", "buffer", "children", "child", "dictionary"])
        if field in ("length", "offset"):
            # Every buffer of such an array is too large for memory.
            values = [2**62, 2**63 - 1, -1, -(2**63)]
            if not self.has_wild_offsets:
                values.append(rng.randint(0, array.extent[field]))
                self.is_whole = False
            setattr(array, field, rng.choice(values))
        elif field == "null_count":
            array.null_count = rng.choice([-(2**63), -2, -1, 0, 1, array.length, array.length + 1, 2**63 - 1])
        elif field == "n_buffers":
            array.n_buffers = rng.choice([-(2**63), -1, *range(min(3, max(array.n_buffers, 0)) + 1)])
        elif field == "n_children":
            array.n_children = rng.choice([-(2**63), -1, *range(max(array.n_children, 0) + 1)])
        elif field == "buffers":
            array.buffers = ctypes.POINTER(ctypes.c_void_p)()
        elif field == "buffer" and array.buffers and array.n_buffers > 0:
            array.buffers[rng.randrange(array.n_buffers)] = None
        elif field == "children":
            array.children = ctypes.POINTER(ctypes.POINTER(Array))()
        elif field == "child" and array.children and array.n_children > 0:
            array.children[rng.randrange(array.n_children)] = ctypes.POINTER(Array)()
        elif field == "dictionary":
            array.dictionary = ctypes.POINTER(Array)()
        return field

    def change_schema(self, rng):
        schema = rng.choice(self.schemas)
        field = rng.choice(["format", "no format", "name", "n_children", "children", "child", "dictionary", "cycle"])
        if field == "format":
            # Another type of the same layout, or one that is not read: others would make the reader leave its buffers.
            same = {b"u": b"z", b"z": b"u", b"U": b"Z", b"Z": b"U", b"vu": b"vz", b"vz": b"vu"}
            schema.format = same.get(schema.format) or rng.choice(UNREAD)
        elif field == "no format":
            schema.format = None
        elif field == "name":
            schema.name = rng.choice([None, b"", b"url", b"html", b"\xff\xfe", b"x" * 100_000])
            if schema.name in (b"url", b"html"):
                # A column of another layout must not be read under this name.
                schema.format = b"tdD"
        elif field == "n_children":
            schema.n_children = rng.choice([-(2**63), -1, *range(max(schema.n_children, 0))])
        elif field == "children":
            schema.children = ctypes.POINTER(ctypes.POINTER(Schema))()
        elif field == "child" and schema.children and schema.n_children > 0:
            schema.children[rng.randrange(schema.n_children)] = ctypes.POINTER(Schema)()
        elif field == "dictionary":
            schema.dictionary = ctypes.POINTER(Schema)()
            if schema.format in (b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L"):
                schema.format = b"tdD"
        elif field == "cycle" and schema.children and schema.n_children > 0:
            schema.children[rng.randrange(schema.n_children)] = ctypes.pointer(schema)
        return f"schema {field}"

    def change_offsets(self, rng):
        if not self.offsets:
            return "none"
        buffer, width, count = rng.choice(self.offsets)
        last = int.from_bytes(buffer.raw[(count - 1) * width : count * width], "little", signed=True)
        at = rng.randrange(count)
        bound = 2 ** (8 * width - 1)
        value = rng.choice([-bound, -1, 0, last, rng.randint(-bound, -1), rng.randint(0, max(last, 0))])
        # Only the last offset is the size of a buffer; one before it may have any value.
        if at < count - 1 and self.is_whole and rng.random() < 0.5:
            value = rng.choice([bound - 1, rng.randint(0, bound - 1)])
            self.has_wild_offsets = True
        buffer[at * width : (at + 1) * width] = value.to_bytes(width, "little", signed=True)
        return "offsets"

    def change_buffer(self, rng):
        if not self.other_buffers:
            return "none"
        buffer = rng.choice(self.other_buffers)
        for _ in range(rng.randint(1, 4)):
            buffer[rng.randrange(len(buffer))] = bytes([rng.randrange(256)])
        return "buffer"


def text_column(rng, rows, values):
    """Returns a column of texts or bytes, of a random type."""
    data_type = rng.choice([pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()])
    chosen = [rng.choice(values) for _ in range(rows)]
    column = pa.array(chosen, data_type)
    if rng.random() < 0.25 and not str(data_type).endswith("view"):
        column = column.dictionary_encode()
    return column


def valid_batch(rng):
    """Returns a batch of pages with random types and values."""
    rows = rng.choice([0, 1, 2, 3, 9, 70])
    urls = ["https://a.example/x", "https://b.example/a/long/path/of/more/than/twelve/bytes", "mailto:a", None, ""]
    pages = ["<meta name=robots content=noindex>", "<p>", None, "x" * 5000]
    pair = pa.struct([("name", pa.string()), ("value", pa.binary())])
    header = {"name": "X-Robots-Tag", "value": b"noindex"}
    lists = [[header] * rng.randint(0, 3) if rng.random() < 0.8 else None for _ in range(rows)]
    headers = [
        lambda: pa.array(lists, pa.list_(pair)),
        lambda: pa.array(lists, pa.large_list(pair)),
        lambda: pa.array([[("A", "b")]] * rows, pa.map_(pa.string(), pa.string())),
        lambda: text_column(rng, rows, ["X-Robots-Tag: noarchive", None, "a"]),
    ]
    columns = {
        "url": text_column(rng, rows, urls),
        "html": text_column(rng, rows, pages),
        "status": pa.array([rng.choice([200, 404, None]) for _ in range(rows)], rng.choice([pa.uint16(), pa.int64(), pa.float64()])),
        "headers": rng.choice(headers)(),
        "robots_txt": text_column(rng, rows, ["User-agent: *\nDisallow: /x", None]),
        "fetched_at": pa.array([rng.choice([0, None]) for _ in range(rows)], pa.timestamp("us", "UTC")),
        "other": pa.nulls(rows),
    }
    for name in list(columns)[2:]:
        if rng.random() < 0.3:
            del columns[name]
    return pa.RecordBatch.from_pydict(columns)


def batches(seed, count):
    """Yields batches with one to three changes, and the names of these."""
    rng = random.Random(seed)
    for _ in range(count):
        batch = Batch(valid_batch(rng))
        changes = []
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            changes.append(batch.change(rng))
        yield batch, changes

"""One pass over the bytes of a CSV file that finds what would make readers disagree about it."""

from voile.kernels.compiled import kernel

OK, NUL, STRAY_QUOTE, OPEN_QUOTE, LONE_CR, MIXED_ENDS, RAGGED, LONG_FIELD, BLANK = range(9)
_LF, _CR, _QUOTE = 10, 13, 34
_FIELD_START, _PLAIN, _QUOTED, _CLOSED = range(4)


@kernel
def line_end(data, i):
    """Which line end stands at i: 1 for LF (or the end of the data), 2 for CR LF, 0 for a lone CR."""
    if i == data.size or data[i] == _LF:
        return 1
    return 2 if i + 1 < data.size and data[i + 1] == _LF else 0


@kernel
def record_fault(fields, empty, width, records, end, ends):
    """What is wrong with a record of so many fields that ends this way, if anything."""
    if end == 0:
        return LONE_CR
    if ends != 0 and ends != end:
        return MIXED_ENDS
    if empty:
        return BLANK
    return RAGGED if records > 0 and fields != width else OK


@kernel
def scan(data, delimiter, longest):
    """Returns a finding, its line, the number of fields per record and the number of records.

    `data` are bytes, `longest` the largest number of bytes a field may have. Line numbers count
    from 1 and include line breaks inside quotes.

    >>> import numpy as np
    >>> scan(np.frombuffer(b"a,b\\n1,2\\n3\\n", np.uint8), ord(","), 100)
    (6, 3, 2, 2)
    """
    state, line, record_line, quote_line = _FIELD_START, 1, 1, 1
    fields, width, records, length, ends = 1, 0, 0, 0, 0
    i = 0
    while i < data.size or not (state == _FIELD_START and fields == 1):  # the file may end with a line end
        at_end = i == data.size
        if state == _QUOTED:
            if at_end:
                return OPEN_QUOTE, quote_line, width, records
            if data[i] == 0:
                return NUL, line, width, records
            if data[i] == _QUOTE and i + 1 < data.size and data[i + 1] == _QUOTE:
                i += 1
            elif data[i] == _QUOTE:
                state = _CLOSED
            line += data[i] == _LF
            length += 1
        elif at_end or data[i] == _LF or data[i] == _CR:
            end = line_end(data, i)
            empty = fields == 1 and state == _FIELD_START
            fault = record_fault(fields, empty, width, records, end, 0 if at_end else ends)
            if fault != OK:
                return fault, record_line if fault == RAGGED else line, width, records
            width, ends = fields, end
            records, line = records + 1, line + 1
            record_line, state, fields, length = line, _FIELD_START, 1, 0
            i += end - 1
        elif data[i] == delimiter:
            state, fields, length = _FIELD_START, fields + 1, 0
        elif data[i] == 0:
            return NUL, line, width, records
        elif data[i] == _QUOTE and state == _FIELD_START:
            state, quote_line = _QUOTED, line
        elif data[i] == _QUOTE or state == _CLOSED:
            return STRAY_QUOTE, line, width, records
        else:
            state, length = _PLAIN, length + 1
        if length > longest:
            return LONG_FIELD, record_line, width, records
        i += 1
    return OK, line, width, records

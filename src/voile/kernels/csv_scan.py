"""One pass over the bytes of a CSV file that finds what would make readers disagree about it."""

import numpy as np

from voile.kernels.compiled import kernel

OK, NUL, STRAY_QUOTE, OPEN_QUOTE, LONE_CR, MIXED_ENDS, RAGGED, LONG_FIELD, BLANK = range(9)
_LF, _CR, _QUOTE = 10, 13, 34
_FIELD_START, _PLAIN, _QUOTED, _CLOSED = range(4)


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
    fields, width, records, length = 1, 0, 0, 0
    ends = 0  # 1: LF, 2: CRLF
    size = data.size
    i = 0
    while i <= size:
        at_end = i == size
        byte = np.uint8(_LF) if at_end else data[i]
        if not at_end and byte == 0:
            return NUL, line, width, records
        if state == _QUOTED:
            if at_end:
                return OPEN_QUOTE, quote_line, width, records
            if byte == _QUOTE:
                if i + 1 < size and data[i + 1] == _QUOTE:
                    i += 1
                else:
                    state = _CLOSED
            elif byte == _LF:
                line += 1
            length += 1
        elif byte == delimiter:
            fields += 1
            length = 0
            state = _FIELD_START
        elif byte == _LF or byte == _CR:
            if at_end and state == _FIELD_START and fields == 1:
                break  # the file ends with a line break
            this_end = 1
            if byte == _CR:
                if i + 1 == size or data[i + 1] != _LF:
                    return LONE_CR, line, width, records
                i += 1
                this_end = 2
            if not at_end:
                if ends != 0 and ends != this_end:
                    return MIXED_ENDS, line, width, records
                ends = this_end
            if fields == 1 and length == 0 and state == _FIELD_START:
                return BLANK, line, width, records
            if records == 0:
                width = fields
            elif fields != width:
                return RAGGED, record_line, width, records
            records += 1
            line += 1
            record_line = line
            fields, length = 1, 0
            state = _FIELD_START
        elif byte == _QUOTE:
            if state != _FIELD_START:
                return STRAY_QUOTE, line, width, records
            state, quote_line = _QUOTED, line
        else:
            if state == _CLOSED:
                return STRAY_QUOTE, line, width, records
            state = _PLAIN
            length += 1
        if length > longest:
            return LONG_FIELD, record_line, width, records
        i += 1
    return OK, line, width, records

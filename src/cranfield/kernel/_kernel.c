/* The compiled part of cranfield: one loop for work that takes NumPy many passes.
 *
 * read_lines   lines of text -> columns
 * hash_strings places in a text -> hashes of what is there
 * pack_column  a column of text in Arrow's layout -> places and hashes
 * place_rows   columns x judged documents -> positions of the judged documents
 * place_lists  dicts of dicts x judged documents -> the same
 * flatten      a dict of dicts as columns
 * hash_names   hashes of judged documents for place_lists, once for all runs
 * is_plain     check whether an object looks like such a dict of dicts
 * sort_groups  keys of groups of documents -> each group in the order of its keys
 *
 * NumPy and Python code computes the same results to the last bit (data/reading/trec.py,
 * labelling/columns.py, labelling/mappings.py) if there is no compiler. Callers create the arrays,
 * do not change them during a call, and pass no array twice. Irregular input is left to the callers,
 * which report its errors.
 *
 * Lengths and counts are of 64 bits everywhere. None can overflow: each counts, or is a small
 * multiple of, what is in memory.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#if FLT_EVAL_METHOD != 0
#error "numbers would be rounded twice"
#endif
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(__GNUC__)
#error "eight bytes are read as a number whose lowest is the first, by GCC or Clang"
#endif
_Static_assert(sizeof(size_t) == 8, "counts are of 64 bits");

typedef int64_t i64;
typedef uint64_t u64;

/* -- numbers ---------------------------------------------------------------------------------- */

#define DIGITS 19 /* as many as always fit in 64 bits */
#define POWERS 27 /* of 5, of which so many do */

static const u64 FIVES[POWERS + 1] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, 6103515625u, 30517578125u, 152587890625u, 762939453125u,
    3814697265625u, 19073486328125u, 95367431640625u, 476837158203125u, 2384185791015625u,
    11920928955078125u, 59604644775390625u, 298023223876953125u, 1490116119384765625u,
    7450580596923828125u};

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; /* all exact */

typedef unsigned __int128 u128;

/* whole * 2^power, and a little more if anything is left: rounded correctly to a double. Two bits
 * more than a double has are kept, the last of them telling whether anything is left. */
static double
rounded(u128 whole, int left, int power)
{
    int shift = 0;
    while (whole >> shift >> 55) {
        shift++;
    }
    left |= (whole & (((u128)1 << shift) - 1)) != 0;
    return ldexp((double)((u64)(whole >> shift) | (u64)left), power + shift);
}

/* mantissa * 10^power, rounded correctly, or NaN where that takes more than this. Of two doubles
 * that are exact the product or quotient is; else whole numbers are computed with. */
static double
scaled(u64 mantissa, i64 power)
{
    i64 size = power < 0 ? -power : power;
    if (size > POWERS) {
        return NAN;
    }
    if (mantissa == 0 || (mantissa <= (u64)1 << 53 && size <= 22)) {
        size = mantissa == 0 ? 0 : size;
        return power < 0 ? (double)mantissa / TENS[size] : (double)mantissa * TENS[size];
    }
    if (power >= 0) {
        return rounded((u128)mantissa * FIVES[size], 0, (int)size);
    }
    int zeros = 64;
    while (!(mantissa >> 63)) {
        mantissa <<= 1;
        zeros++;
    }
    u128 dividend = (u128)mantissa << 64;
    return rounded(dividend / FIVES[size], dividend % FIVES[size] != 0, -(int)size - zeros);
}

#define ROOM 64 /* bytes that can be read before and after fields */
#define EACH(byte) (0x0101010101010101u * (u64)(byte))
#define BELOW(bytes) (((u64)1 << 8 * (bytes)) - 1) /* the first of a word, fewer than eight */

static u64
word_at(const unsigned char *text)
{
    u64 word;
    memcpy(&word, text, sizeof word);
    return word;
}

/* The last bytes before `end`, one to eight, zeros in the place of those before them. */
static u64
digits_before(const unsigned char *end, i64 count)
{
    u64 others = BELOW(8 - count);
    return (word_at(end - 8) & ~others) | (EACH('0') & others);
}

/* Takes the point out of a word of digits: what stands before it moves up, and a byte comes in. Tells how
 * many digits follow it, -1 if there is none. */
static inline int
take_point(u64 *word, u64 before)
{
    u64 point = *word ^ EACH('.');
    point = (point - EACH(1)) & ~point & EACH(0x80); /* the lowest marks the first */
    if (point == 0) {
        return -1;
    }
    int place = __builtin_ctzll(point) >> 3;
    u64 below = BELOW(place);
    *word = (*word & below) << 8 | before | (*word & ~(below << 8 | 0xff));
    return 7 - place;
}

/* The whole number that eight digits make; `odd` is not 0 if they are not all digits. */
static inline u64
eight_digits(u64 word, u64 *odd)
{
    word ^= EACH('0');
    *odd |= ((word + EACH(0x76)) | word) & EACH(0x80); /* a byte above 9 */
    word = (word * 10) + (word >> 8); /* neighbours are joined, then pairs, then fours */
    word = ((word & 0x000000FF000000FFu) * 0x000F424000000064u +
            ((word >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
    return word & 0xFFFFFFFFu;
}

/* A number of the form 123.456, of nine to sixteen bytes, without its point; see quick_number. */
static u64
longer_mantissa(const unsigned char *end, i64 length, int *places, u64 *odd)
{
    u64 last = word_at(end - 8), first = digits_before(end - 8, length - 8);
    *places = take_point(&last, first >> 56);
    if (*places >= 0) {
        first = first << 8 | '0';
    }
    else {
        *places = take_point(&first, '0');
        *places = *places < 0 ? *places : *places + 8;
    }
    return eight_digits(first, odd) * 100000000u + eight_digits(last, odd);
}

/* The number that a text of the form -123.456e7 stands for, or NaN: Python reads the others. */
static double
any_number(const unsigned char *text, i64 length)
{
    const unsigned char *end = text + length, *point = NULL;
    int minus = length > 0 && *text == '-';
    u64 mantissa = 0;
    i64 digits = 0, power = 0;
    for (text += minus; text < end && (*text | 0x20) != 'e'; text++) {
        unsigned digit = (unsigned)*text - '0';
        if (digit <= 9) {
            mantissa = mantissa * 10 + digit; /* which may overflow: then there are too many */
            digits++;
        }
        else if (*text == '.' && point == NULL) {
            point = text;
        }
        else {
            return NAN;
        }
    }
    i64 places = point == NULL ? 0 : text - point - 1;
    if (text < end) {
        text++;
        int less = text < end && *text == '-';
        text += less || (text < end && *text == '+');
        if (text == end || end - text > 4) {
            return NAN;
        }
        for (; text < end; text++) {
            unsigned digit = (unsigned)*text - '0';
            if (digit > 9) {
                return NAN;
            }
            power = power * 10 + digit;
        }
        power = less ? -power : power;
    }
    if (digits == 0 || digits > DIGITS) {
        return NAN;
    }
    double found = scaled(mantissa, power - places);
    return minus ? -found : found;
}

/* The same, where most are short and without an exponent: their digits are read eight at a time. */
static inline double
number(const unsigned char *text, i64 length)
{
    int minus = length > 1 && *text == '-', places;
    i64 size = length - minus;
    u64 odd = 0, mantissa;
    if (size < 1 || size > 16) {
        return any_number(text, length);
    }
    if (size <= 8) {
        u64 word = digits_before(text + length, size);
        places = take_point(&word, '0');
        mantissa = eight_digits(word, &odd);
    }
    else {
        mantissa = longer_mantissa(text + length, size, &places, &odd);
    }
    if (odd || (size == 1 && places >= 0) || mantissa > (u64)1 << 53) {
        return any_number(text, length);
    }
    /* The mantissa and the power of ten are exact, and so is how their quotient is rounded. */
    double found = places > 0 ? (double)mantissa / TENS[places] : (double)mantissa;
    return minus ? -found : found;
}

/* -- lines of text ---------------------------------------------------------------------------- */

#define MOST 6 /* fields of a line */

enum { INSIDE, BLANK, NEWLINE };

static const unsigned char KIND[256] = {
    ['\t'] = BLANK, ['\n'] = NEWLINE, ['\v'] = BLANK, ['\f'] = BLANK, ['\r'] = BLANK, [' '] = BLANK};

typedef struct {
    const unsigned char *start;
    i64 length;
} Field;

static int
same(Field a, Field b)
{
    return a.length == b.length && memcmp(a.start, b.start, (size_t)a.length) == 0;
}

/* The same of fields with room after them. */
static inline int
alike(Field a, Field b)
{
    if (a.length != b.length) {
        return 0;
    }
    while (a.length > 8) {
        if (word_at(a.start) != word_at(b.start)) {
            return 0;
        }
        a.start += 8;
        b.start += 8;
        a.length -= 8;
    }
    return (word_at(a.start) ^ word_at(b.start)) << 8 * (8 - a.length) == 0;
}

static u64
mixed(u64 found, u64 word)
{
    word = (found ^ word) * 0x9E3779B97F4A7C15u;
    return (word ^ word >> 29) * 0xBF58476D1CE4E5B9u;
}

/* As Strings.hashes in data/reading/strings.py: eight bytes at a time, zeros after the last. */
static inline u64
hash_of(Field field, u64 key)
{
    u64 found = (u64)field.length ^ key;
    const unsigned char *text = field.start;
    i64 left = field.length;
    for (; left > 8; left -= 8, text += 8) {
        found = mixed(found, word_at(text));
    }
    found = mixed(found, left > 0 ? word_at(text) << 8 * (8 - left) >> 8 * (8 - left) : 0);
    return found ^ found >> 32;
}

/* Which of 64 bytes are up to the space: blanks, ends of lines, and some that are neither. */
static inline u64
low_bytes(const unsigned char *text)
{
    u64 found = 0;
#ifdef __SSE2__
    const __m128i space = _mm_set1_epi8(' ');
    for (int i = 0; i < 4; i++) {
        __m128i some = _mm_loadu_si128((const __m128i *)(text + 16 * i));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(some, space), some);
        found |= (u64)(unsigned)_mm_movemask_epi8(low) << 16 * i;
    }
#else
    for (int i = 0; i < 8; i++) {
        u64 word = word_at(text + 8 * i);
        u64 low = ~(((word & EACH(0x7f)) + EACH(0x7f - ' ')) | word) & EACH(0x80);
        found |= ((low >> 7) * 0x0102040810204080u >> 56) << 8 * i;
    }
#endif
    return found;
}

/* The fields of the line that begins at *place, which moves on to the next: how many there are;
 * none in what is no data, -1 if there are more than so many or it may be a description. A line
 * ends with a newline: the caller has made sure that the last does. */
static int
cut_any(const unsigned char **place, Field *fields, int width)
{
    const unsigned char *begin = *place, *block = begin;
    u64 low = low_bytes(block);
    int count = 0;
    for (;;) {
        while (low == 0) {
            block += 64;
            low = low_bytes(block);
        }
        const unsigned char *at = block + __builtin_ctzll(low);
        low &= low - 1;
        if (KIND[*at] == INSIDE) {
            continue;
        }
        if (at > begin) {
            if (count == 0 && *begin == '#') {
                while (*at != '\n') {
                    at++;
                }
                *place = at + 1;
                return 0;
            }
            if (count == width || (count == 0 && *begin == '<')) {
                return -1;
            }
            fields[count++] = (Field){begin, at - begin};
        }
        begin = at + 1;
        if (*at == '\n') {
            *place = begin;
            return count;
        }
    }
}

/* The same, where one blank follows each field and all are near: then their ends are the low bytes. */
static inline int
cut(const unsigned char **place, Field *fields, int width)
{
    const unsigned char *begin = *place, *line = begin;
    u64 low = low_bytes(begin);
    int plain = *begin != '#' && *begin != '<';
    for (int i = 0; i < width; i++) {
        const unsigned char *end = line + __builtin_ctzll(low | (u64)1 << 63);
        fields[i] = (Field){begin, end - begin};
        plain &= (end > begin) & (KIND[*end] == (i < width - 1 ? BLANK : NEWLINE));
        begin = end + 1;
        low &= low - 1;
    }
    if (!plain) {
        return cut_any(place, fields, width);
    }
    *place = begin;
    return width;
}

enum { START, LENGTH, HASH, VALUE, RANK, ROW, NAME_START, NAME_LENGTH, COLUMNS };

static void
release(Py_buffer *views, int count)
{
    while (count-- > 0) {
        PyBuffer_Release(&views[count]);
    }
}

/* An array that callers hand over, of numbers of eight bytes as this machine has them: whole ones
 * (i), or doubles (d). */
static int
array(PyObject *given, Py_buffer *view, char kind, int flags)
{
    if (PyObject_GetBuffer(given, view, flags | PyBUF_FORMAT) < 0) {
        return -1;
    }
    const char *format = view->format == NULL ? "" : view->format;
    int one = strlen(format) == 1 && strchr(kind == 'd' ? "d" : "lqLQ", format[0]) != NULL;
    if (!one || view->itemsize != 8 || (uintptr_t)view->buf % 8 != 0) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_TypeError, "an array that is not of numbers of eight bytes");
        return -1;
    }
    return 0;
}

/* Some of them, each of the kind that its letter says. */
static int
arrays(PyObject *given, Py_buffer *views, const char *kinds, int flags)
{
    int count = (int)strlen(kinds);
    if (!PyTuple_Check(given) || PyTuple_Size(given) != count) {
        PyErr_Format(PyExc_TypeError, "%d arrays are needed", count);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        if (array(PyTuple_GetItem(given, i), &views[i], kinds[i], flags) < 0) {
            release(views, i);
            return -1;
        }
    }
    return 0;
}

static i64
count_of(const Py_buffer *view)
{
    return (i64)(view->len / 8);
}

/* How many fields lines have, and which are document, value, rank and tag, -1 if none is. */
typedef struct {
    int width, doc, value, rank, tag;
} Layout;

static const Layout RUN = {6, 2, 4, 3, 5}; /* TREC's */

/* Lines of a text, the columns that they become, and what was found in them. */
typedef struct {
    const unsigned char *text, *begin, *end;
    u64 key;
    i64 *start, *length, *row, *name_start, *name_length;
    u64 *hash;
    double *value, *rank;
    i64 room, groups_room; /* of columns */
    i64 rows, groups, odd_values, odd_ranks;
    Field tag;
    int one_tag;
} Lines;

/* Fills the columns; 0 if a line is not in order. Where the layout is known when this is compiled, it is
 * half as much work. */
static inline __attribute__((always_inline)) int
fill_columns(Lines *given, const Layout layout)
{
    Lines lines = *given; /* which no column can be a part of */
    const unsigned char *place = lines.begin, *text = lines.text;
    Field fields[MOST], topic = {NULL, -1};
    i64 row = 0;
    while (place < lines.end) {
        int count = cut(&place, fields, layout.width);
        if (count == 0) {
            continue;
        }
        if (count != layout.width || row == lines.room) {
            return 0;
        }
        if (!alike(fields[0], topic)) {
            if (lines.groups == lines.groups_room) {
                return 0;
            }
            topic = fields[0];
            lines.row[lines.groups] = row;
            lines.name_start[lines.groups] = topic.start - text;
            lines.name_length[lines.groups] = topic.length;
            lines.groups++;
        }
        Field doc = fields[layout.doc], value = fields[layout.value];
        lines.start[row] = doc.start - text;
        lines.length[row] = doc.length;
        lines.hash[row] = hash_of(doc, lines.key);
        lines.value[row] = number(value.start, value.length);
        lines.odd_values += isnan(lines.value[row]);
        if (layout.rank >= 0) {
            Field rank = fields[layout.rank];
            lines.rank[row] = number(rank.start, rank.length);
            lines.odd_ranks += isnan(lines.rank[row]);
        }
        if (layout.tag >= 0) {
            lines.tag = row == 0 ? fields[layout.tag] : lines.tag;
            lines.one_tag &= alike(fields[layout.tag], lines.tag);
        }
        row++;
    }
    lines.rows = row;
    *given = lines;
    return 1;
}

static int
read_all(Lines *lines, const Layout *layout)
{
    return memcmp(layout, &RUN, sizeof RUN) == 0 ? fill_columns(lines, RUN)
                                                 : fill_columns(lines, *layout);
}

PyDoc_STRVAR(read_lines_doc,
"read_lines(text, begin, end, layout, key, columns) ->\n"
"    (rows, groups, odd values, odd ranks, start and length of the tag, alike)\n"
"\n"
"Lines of a text that ends in a newline, with room around it, as columns, or None if one is not in\n"
"order. The layout is how many fields a line has, and which are document, value, rank and tag, -1 if\n"
"none is. The columns are filled: start, length, hash, value and rank of each line; row, start and\n"
"length of the topic of each group of lines. Odd numbers are NaN. The tag is that of the first line;\n"
"all may be alike.");

static PyObject *
read_lines(PyObject *module, PyObject *args)
{
    Py_buffer text, column[COLUMNS];
    Py_ssize_t begin, end;
    Layout as;
    unsigned long long key;
    PyObject *columns;
    if (!PyArg_ParseTuple(args, "y*nn(iiiii)KO", &text, &begin, &end, &as.width, &as.doc, &as.value,
                          &as.rank, &as.tag, &key, &columns)) {
        return NULL;
    }
    if (arrays(columns, column, "iiiddiii", PyBUF_WRITABLE) < 0) {
        PyBuffer_Release(&text);
        return NULL;
    }
    const unsigned char *base = text.buf;
    i64 room = count_of(&column[START]), groups = count_of(&column[ROW]);
    for (int i = START; i < ROW; i++) {
        int asked = i != RANK || as.rank >= 0;
        room = asked && count_of(&column[i]) < room ? count_of(&column[i]) : room;
    }
    for (int i = ROW; i < COLUMNS; i++) {
        groups = count_of(&column[i]) < groups ? count_of(&column[i]) : groups;
    }
    int fits = ROOM <= begin && begin < end && end <= text.len - ROOM && base[end - 1] == '\n';
    fits = fits && text.readonly; /* or the last newline might go away */
    fits = fits && 0 < as.width && as.width <= MOST && 0 <= as.doc && as.doc < as.width;
    fits = fits && 0 <= as.value && as.value < as.width && as.rank < as.width && as.tag < as.width;
    Lines lines = {
        .text = base, .key = key, .room = room, .groups_room = groups,
        .start = column[START].buf, .length = column[LENGTH].buf,
        .hash = column[HASH].buf, .value = column[VALUE].buf, .rank = column[RANK].buf,
        .row = column[ROW].buf, .name_start = column[NAME_START].buf,
        .name_length = column[NAME_LENGTH].buf, .tag = {base, 0}, .one_tag = 1};
    int in_order = 0;
    if (fits) {
        lines.begin = base + begin;
        lines.end = base + end;
        Py_BEGIN_ALLOW_THREADS
        in_order = read_all(&lines, &as);
        Py_END_ALLOW_THREADS
    }
    release(column, COLUMNS);
    PyBuffer_Release(&text);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "no lines, or no such fields");
        return NULL;
    }
    if (!in_order) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("LLLLLLi", (long long)lines.rows, (long long)lines.groups,
                         (long long)lines.odd_values, (long long)lines.odd_ranks,
                         (long long)(lines.tag.start - base), (long long)lines.tag.length,
                         lines.one_tag);
}

/* -- the order of a list ---------------------------------------------------------------------- */

typedef int (*Before)(const void *of, i64 a, i64 b); /* whether row a comes before row b */

/* Rows in order; those of which none comes before the other stay as they are. */
static inline void
sort_rows(i64 *rows, i64 *spare, i64 n, Before before, const void *of)
{
    for (i64 width = 1; width < n; width *= 2) {
        for (i64 low = 0; low + width < n; low += 2 * width) {
            i64 middle = low + width, high = n - middle < width ? n : middle + width;
            if (!before(of, rows[middle], rows[middle - 1])) {
                continue;
            }
            i64 count = middle - low, a = 0, b = middle, to = low;
            memcpy(spare, rows + low, (size_t)count * sizeof(i64));
            while (a < count && b < high) {
                rows[to++] = before(of, rows[b], spare[a]) ? rows[b++] : spare[a++];
            }
            memcpy(rows + to, spare + a, (size_t)(count - a) * sizeof(i64));
        }
    }
}

static int
has_more(const void *value, i64 a, i64 b)
{
    return ((const double *)value)[a] > ((const double *)value)[b];
}

/* A row, and eight bytes of its name, the first of them the highest. */
typedef struct {
    u64 key;
    i64 row;
} Named;

typedef Field (*NameOf)(const void *of, i64 row); /* starts nowhere if it cannot be told */

/* Whether one name is larger than another, by bytes; of two that begin alike the longer is. */
static int
comes_later(Field x, Field y)
{
    int order = memcmp(x.start, y.start, (size_t)(x.length < y.length ? x.length : y.length));
    return order ? order > 0 : x.length > y.length;
}

static inline int
is_before(const Named *x, const Named *y, NameOf name_of, const void *of)
{
    return x->key != y->key ? x->key > y->key : comes_later(name_of(of, x->row), name_of(of, y->row));
}

/* Rows by their names, the largest first; 0 if a name cannot be told. Names of a collection begin alike:
 * the eight bytes after that mostly decide. */
static int
sort_by_name(i64 *rows, i64 n, Named *names, NameOf name_of, const void *of)
{
    Named *spare = names + n;
    Field first = name_of(of, rows[0]);
    i64 alike = first.length;
    for (i64 i = 0; i < n; i++) {
        Field name = name_of(of, rows[i]);
        if (name.start == NULL) {
            return 0;
        }
        alike = name.length < alike ? name.length : alike;
        for (i64 at = 0; at < alike; at++) {
            alike = name.start[at] == first.start[at] ? alike : at;
        }
    }
    for (i64 i = 0; i < n; i++) {
        Field name = name_of(of, rows[i]);
        u64 key = 0;
        for (i64 at = alike; at < alike + 8; at++) {
            key = key << 8 | (at < name.length ? name.start[at] : 0);
        }
        names[i] = (Named){key, rows[i]};
    }
    for (i64 width = 1; width < n; width *= 2) {
        for (i64 low = 0; low + width < n; low += 2 * width) {
            i64 middle = low + width, high = n - middle < width ? n : middle + width;
            i64 count = middle - low, a = 0, b = middle, to = low;
            memcpy(spare, names + low, (size_t)count * sizeof(Named));
            while (a < count && b < high) {
                names[to++] = is_before(&names[b], &spare[a], name_of, of) ? names[b++] : spare[a++];
            }
            memcpy(names + to, spare + a, (size_t)(count - a) * sizeof(Named));
        }
    }
    for (i64 i = 0; i < n; i++) {
        rows[i] = names[i].row;
    }
    return 1;
}

/* What ranking lists needs, for the longest of them. */
typedef struct {
    i64 *order;    /* which row stands at a place */
    i64 *place;    /* where a row stands */
    i64 *begin;    /* where those begin that have the value of the one at a place, */
    i64 *end;      /* and, where they begin, where they end; less than 0 once they are by name */
    i64 *spare;
    i64 *made;     /* the memory of all of these, and of the two that follow */
    i64 *same;     /* 0, 1, 2, …: order, place and begin of a list whose values fall from row to row, */
    i64 *next;     /* and 1, 2, 3, …: its end */
    Named *names;  /* twice as many as there are rows */
    i64 *slots;    /* a hash table of rows */
    i64 room, mask, most;
} Work;

static void
free_work(Work *work)
{
    free(work->made);
    free(work->slots);
}

/* Allocate room for n rows, and a hash table of the size they need: clearing the table of the longest
 * list for each of many short lists would be slow. */
static int
make_room(Work *work, i64 n)
{
    if (n > work->room) {
        i64 *made = realloc(work->made, (size_t)n * (7 * sizeof(i64) + 2 * sizeof(Named)));
        if (made == NULL) {
            return -1;
        }
        work->made = made;
        work->spare = made + 4 * n;
        work->same = made + 5 * n;
        work->next = made + 6 * n;
        work->names = (Named *)(made + 7 * n);
        work->room = n;
        for (i64 row = 0; row < n; row++) {
            work->same[row] = row;
            work->next[row] = row + 1;
        }
    }
    i64 size = 64;
    while (size < 2 * n) {
        size *= 2;
    }
    if (size > work->most) {
        i64 *made = realloc(work->slots, (size_t)size * sizeof(i64));
        if (made == NULL) {
            return -1;
        }
        work->slots = made;
        work->most = size;
    }
    work->mask = size - 1;
    return 0;
}

static void
empty_slots(Work *work)
{
    memset(work->slots, 0xff, (size_t)(work->mask + 1) * sizeof(i64));
}

/* Put the rows of a list in order of their values (as they come, if there are none), and tell how
 * many share theirs. */
static i64
order_rows(Work *work, const double *value, i64 n)
{
    int falling = 1, strictly = 1;
    for (i64 row = 1; value != NULL && row < n; row++) {
        strictly &= value[row] < value[row - 1];
        falling &= value[row] <= value[row - 1];
    }
    if (strictly) {
        work->order = work->place = work->begin = work->same;
        work->end = work->next;
        return 0;
    }
    work->order = work->made;
    work->place = work->made + work->room;
    work->begin = work->made + 2 * work->room;
    work->end = work->made + 3 * work->room;
    memcpy(work->order, work->same, (size_t)n * sizeof(i64));
    if (!falling) {
        sort_rows(work->order, work->spare, n, has_more, value);
    }
    i64 tied = 0;
    for (i64 low = 0, high; low < n; low = high) {
        high = low + 1;
        while (high < n && value[work->order[high]] == value[work->order[low]]) {
            high++;
        }
        for (i64 at = low; at < high; at++) {
            work->begin[at] = low;
            work->place[work->order[at]] = at;
        }
        work->end[low] = high;
        tied += high - low > 1 ? high - low : 0;
    }
    return tied;
}

/* Return 1 if a better rank has a lower value. Equal values may have any ranks. */
static i64
contradicts(const Work *work, const double *rank, i64 n)
{
    int falls = 0;
    for (i64 at = 1; at < n; at++) {
        falls |= rank[work->order[at]] < rank[work->order[at - 1]];
    }
    double worst = -INFINITY;
    for (i64 low = 0; falls && low < n; low = work->end[low]) {
        for (i64 at = low; at < work->end[low]; at++) {
            if (rank[work->order[at]] < worst) {
                return 1;
            }
        }
        for (i64 at = low; at < work->end[low]; at++) {
            double here = rank[work->order[at]];
            worst = here > worst || isnan(here) ? here : worst;
        }
    }
    return 0;
}

enum { FINE = 0, NO_MEMORY = -1, OUTSIDE = -2, TWICE = -3, ODD = -4 }; /* what came of it */

/* -- hits ------------------------------------------------------------------------------------- */

typedef struct {
    i64 topic, rank, item, first, last;
} Hit;

typedef struct {
    Hit *hit;
    i64 count, room;
} Hits;

static int
room_for(Hits *hits, i64 more)
{
    if (hits->count + more > hits->room) {
        i64 room = 2 * (hits->count + more) + 256;
        Hit *made = realloc(hits->hit, (size_t)room * sizeof(Hit));
        if (made == NULL) {
            return -1;
        }
        hits->hit = made;
        hits->room = room;
    }
    return 0;
}

/* One hit more: its row, for the time being, is its rank. */
static int
add_hit(Hits *hits, i64 topic, i64 row, i64 item)
{
    if (room_for(hits, 1) < 0) {
        return -1;
    }
    hits->hit[hits->count++] = (Hit){topic, row, item, 0, 0};
    return 0;
}

/* The ranks of the hits of a list of n rows, from the hit `from` on, by which they are then in order.
 * Equals are put in order of their names where there is a hit among them, unless they stay as they
 * come. */
static int
rank_hits(Work *work, i64 n, Hits *hits, i64 from, NameOf name_of, const void *of)
{
    i64 count = hits->count - from, sorted = 1, next = 0;
    if (count == 0) {
        return FINE;
    }
    if (room_for(hits, count) < 0) {
        return NO_MEMORY;
    }
    Hit *hit = hits->hit + from, *copy = hit + count;
    for (i64 i = 0; i < count; i++) {
        i64 row = hit[i].rank, begin = work->begin[work->place[row]], end = work->end[begin];
        if (name_of != NULL && end - begin > 1) {
            if (!sort_by_name(work->order + begin, end - begin, work->names, name_of, of)) {
                return ODD;
            }
            for (i64 at = begin; at < end; at++) {
                work->place[work->order[at]] = at;
            }
            work->end[begin] = -end;
        }
        hit[i] = (Hit){hit[i].topic, work->place[row] + 1, hit[i].item, begin + 1,
                       end < 0 ? -end : end};
        sorted = sorted && (i == 0 || hit[i - 1].rank < hit[i].rank);
    }
    if (sorted) {
        return FINE;
    }
    memcpy(copy, hit, (size_t)count * sizeof(Hit));
    memset(work->spare, 0xff, (size_t)n * sizeof(i64));
    for (i64 i = 0; i < count; i++) {
        work->spare[copy[i].rank - 1] = i;
    }
    for (i64 at = 0; at < n; at++) {
        if (work->spare[at] >= 0) {
            hit[next++] = copy[work->spare[at]];
        }
    }
    return FINE;
}

static PyObject *
bytes_of(const void *data, i64 size)
{
    return PyBytes_FromStringAndSize(size ? data : "", (Py_ssize_t)size);
}

/* -- columns of text in Arrow's layout -------------------------------------------------------- */

/* Arrow's C data interface and C stream interface. */
typedef struct ArrowSchema {
    const char *format, *name, *metadata;
    i64 flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
} ArrowSchema;

typedef struct ArrowArray {
    i64 length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
} ArrowArray;

typedef struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
} ArrowArrayStream;

/* A string of a column of views: twelve bytes at most are in the view itself, others in a buffer. */
typedef struct {
    int32_t length;
    union {
        unsigned char text[12];
        struct {
            int32_t begins_with, buffer, offset;
        };
    };
} View;

typedef struct {
    ArrowArray *part;
    i64 count, room, rows, bytes;
} Parts;

/* Return the place of the string of a view. Its length is -1 if it is not inside its buffer. */
static Field
string_of(const ArrowArray *part, const View *view)
{
    if (0 <= view->length && view->length <= 12) {
        return (Field){view->text, view->length};
    }
    i64 buffers = part->n_buffers - 3; /* beside these: what is missing, the views, the sizes */
    const i64 *sizes = part->buffers[part->n_buffers - 1];
    if (view->length < 0 || view->buffer < 0 || view->buffer >= buffers || view->offset < 0 ||
        (i64)view->offset + view->length > sizes[view->buffer]) {
        return (Field){NULL, -1};
    }
    return (Field){(const unsigned char *)part->buffers[2 + view->buffer] + view->offset,
                   view->length};
}

static const View *
views_of(const ArrowArray *part)
{
    return (const View *)part->buffers[1] + part->offset;
}

/* The parts of a stream, and how many bytes its strings have: ODD if it is not of text, or if some of it
 * is missing. */
static int
take_parts(ArrowArrayStream *stream, Parts *parts)
{
    ArrowSchema schema = {0};
    if (stream->get_schema(stream, &schema) != 0) {
        return ODD;
    }
    int views = strcmp(schema.format, "vu") == 0;
    schema.release(&schema);
    while (views) {
        if (parts->count == parts->room) {
            ArrowArray *made =
                realloc(parts->part, (size_t)(2 * parts->room + 8) * sizeof(ArrowArray));
            if (made == NULL) {
                return NO_MEMORY;
            }
            parts->part = made;
            parts->room = 2 * parts->room + 8;
        }
        ArrowArray *part = &parts->part[parts->count];
        part->release = NULL;
        if (stream->get_next(stream, part) != 0) {
            return ODD;
        }
        if (part->release == NULL) {
            return FINE;
        }
        parts->count++;
        if (part->null_count != 0 || part->n_buffers < 3) {
            return ODD;
        }
        parts->rows += part->length;
        for (i64 row = 0; row < part->length; row++) {
            Field found = string_of(part, views_of(part) + row);
            if (found.length < 0) {
                return ODD;
            }
            parts->bytes += found.length;
        }
    }
    return ODD;
}

/* The strings side by side, the place and the hash of each. */
static void
put_parts(const Parts *parts, u64 key, unsigned char *text, i64 *start, i64 *length, u64 *hash)
{
    i64 at = ROOM, row = 0;
    memset(text, 0, ROOM);
    for (i64 k = 0; k < parts->count; k++) {
        for (i64 i = 0; i < parts->part[k].length; i++, row++) {
            Field found = string_of(&parts->part[k], views_of(&parts->part[k]) + i);
            memcpy(text + at, found.start, (size_t)found.length);
            start[row] = at;
            length[row] = found.length;
            at += found.length;
        }
    }
    memset(text + at, 0, ROOM);
    for (row = 0; row < parts->rows; row++) {
        hash[row] = hash_of((Field){text + start[row], length[row]}, key);
    }
}

PyDoc_STRVAR(pack_column_doc,
"pack_column(capsule, key) -> (text, start, length, hashes)\n"
"\n"
"A column of text in Arrow's layout of views, as the stream in a capsule hands it over: its strings side\n"
"by side with room around them, where each is and its hash, as bytes. None if it is in another layout,\n"
"or a string is missing.");

static PyObject *
pack_column(PyObject *module, PyObject *args)
{
    PyObject *capsule, *made[4] = {NULL}, *found = NULL;
    unsigned long long key;
    if (!PyArg_ParseTuple(args, "OK", &capsule, &key)) {
        return NULL;
    }
    ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream == NULL) {
        return NULL;
    }
    if (stream->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "a stream that was read before");
        return NULL;
    }
    Parts parts = {0};
    int code = take_parts(stream, &parts);
    if (code == NO_MEMORY) {
        PyErr_NoMemory();
    }
    else if (code == ODD) {
        found = Py_NewRef(Py_None);
    }
    else {
        i64 sizes[4] = {parts.bytes + 2 * ROOM, 8 * parts.rows, 8 * parts.rows, 8 * parts.rows};
        int all = 1;
        for (int i = 0; i < 4; i++) {
            made[i] = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)sizes[i]);
            all = all && made[i] != NULL;
        }
        if (all) {
            char *into[4];
            for (int i = 0; i < 4; i++) {
                into[i] = PyBytes_AsString(made[i]);
            }
            Py_BEGIN_ALLOW_THREADS
            put_parts(&parts, key, (unsigned char *)into[0], (i64 *)into[1], (i64 *)into[2],
                      (u64 *)into[3]);
            Py_END_ALLOW_THREADS
            found = PyTuple_Pack(4, made[0], made[1], made[2], made[3]);
        }
        for (int i = 0; i < 4; i++) {
            Py_XDECREF(made[i]);
        }
    }
    for (i64 k = 0; k < parts.count; k++) {
        parts.part[k].release(&parts.part[k]);
    }
    free(parts.part);
    return found;
}

/* -- columns x judged documents --------------------------------------------------------------- */

typedef struct {
    const unsigned char *text;
    i64 size;
    const i64 *start, *length;
    const u64 *hash;
    i64 count;
} Names;

static Field
name_of(const void *of, i64 row)
{
    const Names *names = of;
    return (Field){names->text + names->start[row], names->length[row]};
}

static int
are_inside(const Names *names, i64 begin, i64 end)
{
    int fits = 0 <= begin && begin <= end && end <= names->count;
    for (i64 row = begin; fits && row < end; row++) {
        i64 start = names->start[row], length = names->length[row];
        fits = 0 <= start && 0 <= length && start <= names->size && length <= names->size - start;
    }
    return fits;
}

/* The row of a name in the hash table of some rows from `base` on; -1, and its slot, if it is in
 * none. */
static i64
row_of(const Work *work, const Names *rows, i64 base, Field name, u64 hash, i64 *slot)
{
    i64 at = (i64)hash & work->mask;
    for (; work->slots[at] >= 0; at = (at + 1) & work->mask) {
        i64 row = work->slots[at];
        if (rows->hash[base + row] == hash && same(name_of(rows, base + row), name)) {
            return row;
        }
    }
    *slot = at;
    return -1;
}

typedef struct {
    Names rows, gold;
    const double *value, *rank; /* either may be missing */
    const i64 *bounds, *topics; /* of each group of rows */
    const i64 *offsets, *items; /* of judgments */
    i64 groups, judged_topics;
    i64 *tied, *contradicted;
    int stable;
} Placing;

static int
place_group(const Placing *in, i64 group, Work *work, Hits *hits, i64 *twice)
{
    i64 base = in->bounds[group], stop = in->bounds[group + 1], topic = in->topics[group], slot;
    if (!are_inside(&in->rows, base, stop) || topic >= in->judged_topics) {
        return OUTSIDE;
    }
    i64 n = stop - base;
    if (make_room(work, n) < 0) {
        return NO_MEMORY;
    }
    empty_slots(work);
    for (i64 row = 0; row < n; row++) {
        Field name = name_of(&in->rows, base + row);
        if (row_of(work, &in->rows, base, name, in->rows.hash[base + row], &slot) >= 0) {
            *twice = base + row;
            return TWICE;
        }
        work->slots[slot] = row;
    }
    if (topic < 0) {
        return FINE;
    }
    in->tied[group] = order_rows(work, in->value == NULL ? NULL : in->value + base, n);
    if (in->rank != NULL && in->value != NULL) {
        in->contradicted[group] = contradicts(work, in->rank + base, n);
    }
    i64 from = hits->count, begin = in->offsets[topic], end = in->offsets[topic + 1];
    if (!are_inside(&in->gold, begin, end)) {
        return OUTSIDE;
    }
    for (i64 judged = begin; judged < end; judged++) {
        Field name = name_of(&in->gold, judged);
        i64 row = row_of(work, &in->rows, base, name, in->gold.hash[judged], &slot);
        if (row >= 0 && add_hit(hits, topic, row, in->items[judged]) < 0) {
            return NO_MEMORY;
        }
    }
    Names here = in->rows;
    here.start += base;
    here.length += base;
    return rank_hits(work, n, hits, from, in->stable ? NULL : name_of, &here);
}

PyDoc_STRVAR(hash_strings_doc,
"hash_strings(text, (start, length), key, (hashes,)) -> None\n"
"\n"
"The hash of each string of a text, which has room after the last of them. Hashes are filled.");

static PyObject *
hash_strings(PyObject *module, PyObject *args)
{
    Py_buffer text, place[2], out;
    PyObject *places, *hashes;
    unsigned long long key;
    if (!PyArg_ParseTuple(args, "y*OKO", &text, &places, &key, &hashes)) {
        return NULL;
    }
    if (arrays(places, place, "ii", PyBUF_SIMPLE) < 0) {
        PyBuffer_Release(&text);
        return NULL;
    }
    if (arrays(hashes, &out, "i", PyBUF_WRITABLE) < 0) {
        release(place, 2);
        PyBuffer_Release(&text);
        return NULL;
    }
    Names names = {text.buf, text.len - ROOM, place[0].buf, place[1].buf, NULL,
                   count_of(&place[0])};
    int fits = count_of(&place[1]) == names.count && count_of(&out) == names.count;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        fits = are_inside(&names, 0, names.count);
        for (i64 row = 0; fits && row < names.count; row++) {
            ((u64 *)out.buf)[row] = hash_of(name_of(&names, row), key);
        }
        Py_END_ALLOW_THREADS
    }
    release(&out, 1);
    release(place, 2);
    PyBuffer_Release(&text);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "arrays that do not fit together");
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(place_rows_doc,
"place_rows(text, rows, groups, judged text, judged, out, stable) -> (hits, twice)\n"
"\n"
"Where judged documents are in lists. `rows` are start, length, hash, value and rank of each, either\n"
"of the last two empty if there is none; `groups` are the bounds of lists and their topics, -1 if not\n"
"judged; `judged` are start, length, hash and item of each judged document, and the offsets of topics.\n"
"`out` is filled: how many documents of each list share their value, and whether ranks contradict\n"
"values. Hits are topic, rank, item, first and last possible rank, as bytes, by topic and rank; `twice`\n"
"is a row whose document its list has twice, or -1.");

static PyObject *
place_rows(PyObject *module, PyObject *args)
{
    Py_buffer text, gold_text, row[5], group[2], judged[5], out[2];
    PyObject *rows, *groups, *gold, *outs, *found = NULL;
    int stable, code = OUTSIDE;
    if (!PyArg_ParseTuple(args, "y*OOy*OOp", &text, &rows, &groups, &gold_text, &gold, &outs,
                          &stable)) {
        return NULL;
    }
    if (arrays(rows, row, "iiidd", PyBUF_SIMPLE) < 0) {
        goto texts;
    }
    if (arrays(groups, group, "ii", PyBUF_SIMPLE) < 0) {
        goto rows;
    }
    if (arrays(gold, judged, "iiiii", PyBUF_SIMPLE) < 0) {
        goto groups;
    }
    if (arrays(outs, out, "ii", PyBUF_WRITABLE) < 0) {
        goto judged;
    }
    Placing in = {
        {text.buf, text.len, row[0].buf, row[1].buf, row[2].buf, count_of(&row[0])},
        {gold_text.buf, gold_text.len, judged[0].buf, judged[1].buf, judged[2].buf,
         count_of(&judged[0])},
        row[3].len ? row[3].buf : NULL, row[4].len ? row[4].buf : NULL,
        group[0].buf, group[1].buf, judged[4].buf, judged[3].buf,
        count_of(&group[1]), count_of(&judged[4]) - 1, out[0].buf, out[1].buf, stable};
    int fits = count_of(&group[0]) == in.groups + 1;
    for (int i = 1; i < 5; i++) {
        fits = fits && (count_of(&row[i]) == in.rows.count || (i > 2 && row[i].len == 0));
    }
    for (int i = 1; i < 4; i++) {
        fits = fits && count_of(&judged[i]) == in.gold.count;
    }
    fits = fits && count_of(&out[0]) == in.groups && count_of(&out[1]) == in.groups;
    Work work = {0};
    Hits hits = {0};
    i64 twice = -1;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        code = FINE;
        for (i64 i = 0; i < in.groups && code == FINE; i++) {
            code = place_group(&in, i, &work, &hits, &twice);
        }
        Py_END_ALLOW_THREADS
    }
    if (code == NO_MEMORY) {
        PyErr_NoMemory();
    }
    else if (code == OUTSIDE) {
        PyErr_SetString(PyExc_ValueError, "arrays that do not fit together");
    }
    else {
        PyObject *bytes = bytes_of(hits.hit, hits.count * (i64)sizeof(Hit));
        found = bytes == NULL ? NULL : Py_BuildValue("NL", bytes, (long long)twice);
    }
    free_work(&work);
    free(hits.hit);
    release(out, 2);
judged:
    release(judged, 5);
groups:
    release(group, 2);
rows:
    release(row, 5);
texts:
    PyBuffer_Release(&text);
    PyBuffer_Release(&gold_text);
    return found;
}

/* -- dicts of dicts x judged documents -------------------------------------------------------- */

typedef struct {
    double *value;
    PyObject **doc; /* borrowed: the dict that holds them is not changed here */
    Py_hash_t *hash;
    i64 n, room;
} List;

/* A document by the bytes of its UTF-8, whose order is that of characters; half a character has none. */
static Field
name_of_doc(const void *of, i64 row)
{
    Py_ssize_t size = 0;
    const char *name = PyUnicode_AsUTF8AndSize(((const List *)of)->doc[row], &size);
    if (name == NULL) {
        PyErr_Clear();
    }
    return (Field){(const unsigned char *)name, (i64)size};
}

/* A score as a number: 0 if it is none that can be read without asking anybody. */
static int
is_number(PyObject *score, double *value)
{
    if (PyFloat_CheckExact(score)) {
        *value = PyFloat_AsDouble(score);
    }
    else if (PyLong_CheckExact(score)) {
        *value = PyLong_AsDouble(score);
        if (*value == -1.0 && PyErr_Occurred()) {
            PyErr_Clear(); /* beyond all doubles */
            return 0;
        }
    }
    else if (PyFloat_Check(score)) { /* NumPy's, for one */
        *value = PyFloat_AsDouble(score);
    }
    else {
        return 0;
    }
    return isfinite(*value);
}

/* The documents and scores of a dict: ODD if one is no string, or no number. */
static int
take_list(List *list, PyObject *docs, PyObject *left_out, int given)
{
    i64 n = (i64)PyDict_Size(docs);
    if (n > list->room) {
        void *made = realloc(list->value, (size_t)n * 3 * 8);
        if (made == NULL) {
            return NO_MEMORY;
        }
        list->value = made;
        list->doc = (PyObject **)(list->value + n);
        list->hash = (Py_hash_t *)(list->doc + n);
        list->room = n;
    }
    Py_ssize_t at = 0;
    PyObject *doc, *score;
    i64 row = 0;
    while (row < n && PyDict_Next(docs, &at, &doc, &score)) {
        double value;
        if (!PyUnicode_CheckExact(doc) || !is_number(score, &value)) {
            return ODD;
        }
        if (left_out != NULL && PyUnicode_Compare(doc, left_out) == 0) {
            continue;
        }
        list->doc[row] = doc;
        list->value[row] = given ? -(double)row : value;
        row++;
    }
    list->n = row;
    return FINE;
}

/* The row of a document in the hash table of a list; -1, and its slot, if it is in none. */
static i64
row_of_doc(const Work *work, const List *list, PyObject *doc, Py_hash_t hash, i64 *slot)
{
    i64 at = (i64)hash & work->mask;
    for (; work->slots[at] >= 0; at = (at + 1) & work->mask) {
        i64 row = work->slots[at];
        if (list->hash[row] == hash && PyUnicode_Compare(list->doc[row], doc) == 0) {
            return row;
        }
    }
    *slot = at;
    return -1;
}

/* Whether a document of a list has a hash. */
static int
is_there(const Work *work, const List *list, Py_hash_t hash)
{
    i64 at = (i64)hash & work->mask;
    while (work->slots[at] >= 0 && list->hash[work->slots[at]] != hash) {
        at = (at + 1) & work->mask;
    }
    return work->slots[at] >= 0;
}

/* The row of a document of which the value is known, -1 if it was left out: it is among its equals. */
static i64
row_with(const Work *work, const List *list, PyObject *doc, double value)
{
    i64 low = 0, high = list->n;
    while (low < high) {
        i64 middle = low + (high - low) / 2;
        if (list->value[work->order[middle]] > value) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    for (; low < list->n && list->value[work->order[low]] == value; low++) {
        if (PyUnicode_Compare(list->doc[work->order[low]], doc) == 0) {
            return work->order[low];
        }
    }
    return -1;
}

#define FEW 128 /* judged documents: they are looked up one by one */

/* All that was judged: the documents of all topics, their hashes, and what item each is. */
typedef struct {
    PyObject *docs;
    const i64 *hash, *items, *offsets;
} Judged;

/* The judged documents of a topic that are in a list. Few are looked up in its dict, many in a hash
 * table that knows their rows: then only those are touched whose hash is there. */
static int
find_hits(Work *work, const List *list, PyObject *docs, const Judged *judged, i64 topic, int given,
          Hits *hits)
{
    i64 slot = 0, begin = judged->offsets[topic], end = judged->offsets[topic + 1];
    int many = given || end - begin > FEW || list->n <= 8 * (end - begin);
    if (many) {
        empty_slots(work);
        for (i64 row = 0; row < list->n; row++) {
            list->hash[row] = PyObject_Hash(list->doc[row]);
            row_of_doc(work, list, list->doc[row], list->hash[row], &slot);
            work->slots[slot] = row;
        }
    }
    for (i64 i = begin; i < end; i++) {
        if (many && !is_there(work, list, (Py_hash_t)judged->hash[i])) {
            continue;
        }
        PyObject *doc = PyList_GetItem(judged->docs, (Py_ssize_t)i), *score;
        if (doc == NULL || !PyUnicode_CheckExact(doc)) {
            PyErr_Clear(); /* a name of a list may have changed this one when it was compared */
            return ODD;
        }
        i64 row = -1;
        double value = 0;
        if (many) {
            row = row_of_doc(work, list, doc, (Py_hash_t)judged->hash[i], &slot);
        }
        else if ((score = PyDict_GetItemWithError(docs, doc)) != NULL) {
            is_number(score, &value);
            row = row_with(work, list, doc, value);
        }
        if (row >= 0 && add_hit(hits, topic, row, judged->items[i]) < 0) {
            return NO_MEMORY;
        }
    }
    return FINE;
}

typedef struct {
    i64 topic, length, tied;
} Answered;

PyDoc_STRVAR(place_lists_doc,
"place_lists(lists, topics, docs, judged, stable, given, without self) -> (hits, lists)\n"
"\n"
"Where judged documents are in the lists of a dict of dicts. `docs` are the judged documents of all\n"
"topics, `judged` their hashes (as hash_names has them), what item each is, and the offsets of topics. Hits are as those of place_rows; of each\n"
"list there are topic, length, and how many documents share their value. None if a list is not a dict\n"
"from strings to finite numbers.");

static PyObject *
place_lists(PyObject *module, PyObject *args)
{
    PyObject *lists, *topics, *docs_judged, *columns, *found = NULL;
    Py_buffer column[3];
    int stable, given, without_self, code;
    if (!PyArg_ParseTuple(args, "O!O!O!Oppp", &PyDict_Type, &lists, &PyTuple_Type, &topics,
                          &PyList_Type, &docs_judged, &columns, &stable, &given, &without_self)) {
        return NULL;
    }
    if (arrays(columns, column, "iii", PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    Judged judged = {docs_judged, column[0].buf, column[1].buf, column[2].buf};
    i64 count = (i64)PyTuple_Size(topics), answers = 0, every = (i64)PyList_Size(docs_judged);
    int fits = count_of(&column[0]) == every && count_of(&column[1]) == every;
    fits = fits && count_of(&column[2]) == count + 1;
    for (i64 t = 0; fits && t < count; t++) {
        fits = 0 <= judged.offsets[t] && judged.offsets[t] <= judged.offsets[t + 1] &&
               judged.offsets[t + 1] <= every;
    }
    Answered *answered = malloc((size_t)(count + 1) * sizeof(Answered));
    Work work = {0};
    Hits hits = {0};
    List list = {0};
    code = !fits ? OUTSIDE : answered == NULL ? NO_MEMORY : FINE;
    for (i64 t = 0; t < count && code == FINE; t++) {
        PyObject *topic = PyTuple_GetItem(topics, (Py_ssize_t)t);
        if (!PyUnicode_CheckExact(topic)) {
            code = ODD;
            break;
        }
        PyObject *docs = PyDict_GetItemWithError(lists, topic); /* may compare it with anything */
        if (docs == NULL) {
            code = PyErr_Occurred() ? ODD : FINE;
            PyErr_Clear(); /* whoever looks again is told */
            continue;
        }
        if (!PyDict_CheckExact(docs)) {
            code = ODD;
            break;
        }
        code = take_list(&list, docs, without_self ? topic : NULL, given);
        if (code == FINE && make_room(&work, list.n) < 0) {
            code = NO_MEMORY;
        }
        if (code != FINE) {
            break;
        }
        i64 tied = order_rows(&work, list.value, list.n), from = hits.count;
        answered[answers++] = (Answered){t, list.n, tied};
        code = find_hits(&work, &list, docs, &judged, t, given, &hits);
        if (code == FINE) {
            code = rank_hits(&work, list.n, &hits, from, stable ? NULL : name_of_doc, &list);
        }
    }
    if (code == NO_MEMORY) {
        PyErr_NoMemory();
    }
    else if (code == OUTSIDE) {
        PyErr_SetString(PyExc_ValueError, "arrays that do not fit together");
    }
    else if (code == ODD) {
        found = Py_NewRef(Py_None);
    }
    else {
        PyObject *of_hits = bytes_of(hits.hit, hits.count * (i64)sizeof(Hit));
        PyObject *of_lists = bytes_of(answered, answers * (i64)sizeof(Answered));
        if (of_hits != NULL && of_lists != NULL) {
            found = PyTuple_Pack(2, of_hits, of_lists);
        }
        Py_XDECREF(of_hits);
        Py_XDECREF(of_lists);
    }
    free(answered);
    free(hits.hit);
    free(list.value);
    free_work(&work);
    release(column, 3);
    return found;
}

PyDoc_STRVAR(flatten_doc,
"flatten(lists) -> (docs, values, counts)\n"
"\n"
"The documents of a dict of dicts as one list, their values and how many each dict has as bytes. None\n"
"if it is not one from strings to dicts from strings to finite numbers.");

static PyObject *
flatten(PyObject *module, PyObject *lists)
{
    Py_ssize_t at = 0, size = 0, row = 0, list = 0;
    PyObject *topic, *docs, *doc, *score;
    if (!PyDict_CheckExact(lists)) {
        Py_RETURN_NONE;
    }
    while (PyDict_Next(lists, &at, &topic, &docs)) {
        if (!PyUnicode_CheckExact(topic) || !PyDict_CheckExact(docs)) {
            Py_RETURN_NONE;
        }
        size += PyDict_Size(docs);
    }
    PyObject *names = PyList_New(size), *found = NULL;
    double *values = malloc((size_t)(size + 1) * sizeof(double));
    i64 *counts = malloc((size_t)(PyDict_Size(lists) + 1) * sizeof(i64));
    int plain = 1;
    if (names == NULL || values == NULL || counts == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    /* A new list may have let garbage be collected, and that change what was counted. */
    for (at = 0; plain && PyDict_Next(lists, &at, &topic, &docs);) {
        Py_ssize_t inside = 0;
        if (!PyUnicode_CheckExact(topic) || !PyDict_CheckExact(docs)) {
            plain = 0;
            break;
        }
        counts[list++] = (i64)PyDict_Size(docs);
        while (plain && PyDict_Next(docs, &inside, &doc, &score)) {
            plain = row < size && PyUnicode_CheckExact(doc) && is_number(score, &values[row]);
            if (plain) {
                PyList_SetItem(names, row++, Py_NewRef(doc));
            }
        }
    }
    if (!plain || row < size) {
        found = Py_NewRef(Py_None);
        goto done;
    }
    PyObject *of_values = bytes_of(values, (i64)size * 8), *of_counts = bytes_of(counts, (i64)list * 8);
    if (of_values != NULL && of_counts != NULL) {
        found = PyTuple_Pack(3, names, of_values, of_counts);
    }
    Py_XDECREF(of_values);
    Py_XDECREF(of_counts);
done:
    free(values);
    free(counts);
    Py_XDECREF(names);
    return found;
}

PyDoc_STRVAR(hash_names_doc,
"hash_names(names, hashes) -> bool\n"
"\n"
"Fill in Python's own hash of each of a list of strings; False if one is not exactly a string.");

static PyObject *
hash_names(PyObject *module, PyObject *args)
{
    PyObject *names, *given;
    Py_buffer hashes;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &names, &given)) {
        return NULL;
    }
    if (array(given, &hashes, 'i', PyBUF_WRITABLE) < 0) {
        return NULL;
    }
    Py_ssize_t count = PyList_Size(names);
    int strings = count_of(&hashes) == (i64)count;
    for (Py_ssize_t i = 0; strings && i < count; i++) {
        PyObject *name = PyList_GetItem(names, i);
        strings = PyUnicode_CheckExact(name);
        ((i64 *)hashes.buf)[i] = strings ? (i64)PyObject_Hash(name) : 0;
    }
    PyBuffer_Release(&hashes);
    return PyBool_FromLong(strings);
}

PyDoc_STRVAR(is_plain_doc,
"is_plain(lists) -> bool\n"
"\n"
"Whether this is a dict from strings to dicts, none of them empty, which begin with a string and a\n"
"number.");

static PyObject *
is_plain(PyObject *module, PyObject *lists)
{
    Py_ssize_t at = 0;
    PyObject *topic, *docs, *doc, *score;
    double value;
    int plain = PyDict_CheckExact(lists) && PyDict_Size(lists) > 0;
    while (plain && PyDict_Next(lists, &at, &topic, &docs)) {
        Py_ssize_t first = 0;
        plain = PyUnicode_CheckExact(topic) && PyDict_CheckExact(docs) &&
                PyDict_Next(docs, &first, &doc, &score) && PyUnicode_CheckExact(doc) &&
                is_number(score, &value);
    }
    return PyBool_FromLong(plain);
}

/* -- groups of tied documents ----------------------------------------------------------------- */

#define SMALL 16 /* rows, each of which is compared with each */

static int
has_less(const void *key, i64 a, i64 b)
{
    return ((const double *)key)[a] < ((const double *)key)[b];
}

/* In a small group a row's place is the number of those before it: no branch depends on chance. */
static void
sort_group(const double *key, i64 *rows, i64 *spare, i64 begin, i64 n)
{
    if (n > SMALL) {
        for (i64 i = 0; i < n; i++) {
            rows[i] = begin + i;
        }
        sort_rows(rows, spare, n, has_less, key);
        return;
    }
    key += begin;
    for (i64 i = 0; i < n; i++) {
        i64 before = 0;
        for (i64 j = 0; j < i; j++) {
            before += key[j] <= key[i];
        }
        for (i64 j = i + 1; j < n; j++) {
            before += key[j] < key[i];
        }
        rows[before] = begin + i;
    }
}

PyDoc_STRVAR(sort_groups_doc,
"sort_groups(keys, bounds, out)\n"
"\n"
"Fill `out` with the rows of all groups, one group after the other between its bounds, those of each\n"
"by their keys; of equal keys the first stays first.");

static PyObject *
sort_groups(PyObject *module, PyObject *args)
{
    PyObject *keys, *given, *filled, *done = NULL;
    Py_buffer key, bound, out;
    if (!PyArg_ParseTuple(args, "OOO", &keys, &given, &filled)) {
        return NULL;
    }
    if (array(keys, &key, 'd', PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    if (array(given, &bound, 'i', PyBUF_SIMPLE) < 0) {
        PyBuffer_Release(&key);
        return NULL;
    }
    if (array(filled, &out, 'i', PyBUF_WRITABLE) < 0) {
        PyBuffer_Release(&key);
        PyBuffer_Release(&bound);
        return NULL;
    }
    const i64 *bounds = bound.buf;
    i64 groups = count_of(&bound) - 1, rows = count_of(&key), longest = 0;
    int fits = count_of(&out) == rows && groups >= 0 && bounds[0] == 0 && bounds[groups] == rows;
    for (i64 i = 0; fits && i < groups; i++) {
        fits = bounds[i] <= bounds[i + 1] && bounds[i + 1] <= rows;
        longest = bounds[i + 1] - bounds[i] > longest ? bounds[i + 1] - bounds[i] : longest;
    }
    i64 *spare = fits ? malloc(((size_t)longest + 1) * sizeof(i64)) : NULL;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "arrays that do not fit together");
    }
    else if (spare == NULL) {
        PyErr_NoMemory();
    }
    else {
        Py_BEGIN_ALLOW_THREADS
        for (i64 i = 0; i < groups; i++) {
            i64 begin = bounds[i];
            sort_group(key.buf, (i64 *)out.buf + begin, spare, begin, bounds[i + 1] - begin);
        }
        Py_END_ALLOW_THREADS
        done = Py_NewRef(Py_None);
    }
    free(spare);
    PyBuffer_Release(&key);
    PyBuffer_Release(&bound);
    PyBuffer_Release(&out);
    return done;
}

/* -- the module ------------------------------------------------------------------------------- */

static PyMethodDef METHODS[] = {
    {"read_lines", read_lines, METH_VARARGS, read_lines_doc},
    {"hash_strings", hash_strings, METH_VARARGS, hash_strings_doc},
    {"pack_column", pack_column, METH_VARARGS, pack_column_doc},
    {"place_rows", place_rows, METH_VARARGS, place_rows_doc},
    {"place_lists", place_lists, METH_VARARGS, place_lists_doc},
    {"flatten", flatten, METH_O, flatten_doc},
    {"hash_names", hash_names, METH_VARARGS, hash_names_doc},
    {"is_plain", is_plain, METH_O, is_plain_doc},
    {"sort_groups", sort_groups, METH_VARARGS, sort_groups_doc},
    {NULL, NULL, 0, NULL}};

/* How it is called: one more whenever that changes, here and in __init__.py. */
#define VERSION 2

static int
add_version(PyObject *module)
{
    return PyModule_AddIntConstant(module, "VERSION", VERSION);
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, add_version}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_kernel", "What NumPy needs many passes for, in one loop.", 0, METHODS,
    SLOTS, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit__kernel(void)
{
    return PyModuleDef_Init(&MODULE);
}

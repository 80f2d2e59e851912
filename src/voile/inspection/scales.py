"""Words that have an order everywhere: a column made of them is ordinal beyond doubt."""

from collections.abc import Collection

SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("lowest", "low", "moderate", "high", "highest"),
    ("none", "mild", "moderate", "severe", "very severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("very small", "small", "medium", "large", "very large"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("i", "ii", "iii", "iv", "v", "vi"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("sehr niedrig", "niedrig", "mittel", "hoch", "sehr hoch"),
    ("sehr gering", "gering", "mittel", "hoch", "sehr hoch"),
    ("nie", "selten", "manchmal", "oft", "immer"),
    ("leicht", "mittel", "schwer", "sehr schwer"),
    ("faible", "moyen", "fort", "tres fort"),
    ("jamais", "rarement", "parfois", "souvent", "toujours"),
    ("bajo", "medio", "alto", "muy alto"),
    ("nunca", "raramente", "a veces", "a menudo", "siempre"),
    ("basso", "medio", "alto", "molto alto"),
    ("laag", "gemiddeld", "hoog", "zeer hoog"),
    ("lav", "middel", "hoj", "meget hoj"),
)


def ordered(words: Collection[str]) -> tuple[str, ...]:
    """The words in the order of the scale they all belong to, or nothing.

    >>> ordered({"High", "Low", "Medium"}), ordered({"high", "blue", "low"})
    (('Low', 'Medium', 'High'), ())
    """
    plain = {word.casefold().replace("_", " ").replace("-", " "): word for word in words}
    for scale in SCALES:
        if len(words) > 2 and len(plain) == len(words) and plain.keys() <= set(scale):
            return tuple(plain[step] for step in scale if step in plain)
    return ()

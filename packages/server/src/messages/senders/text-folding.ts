/**
 * Text as it is compared: compatibility forms made one (NFKC: full-width letters, ligatures), without case, without
 * characters that show nothing, which are put into words to get them past a filter, and with any white space between words
 * one space.
 */
export function foldText(text: string): string {
  const shown = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}+/gu, '');
  return withoutCase(shown)
    .normalize('NFKC')
    .replace(/[\p{Z}\p{Cc}]+/gu, ' ');
}

/**
 * Lower case alone is not one form: `ß` stays where `SS` becomes `ss`, and `Σ` becomes `ς` or `σ` depending on its
 * neighbours. By way of the upper case all forms of a letter meet, the Turkish `ı` and `i` too. The lower case comes
 * first, since `ẞ` is a capital whose own upper case is not `SS`.
 */
function withoutCase(text: string): string {
  return withoutDotAboveI(text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'));
}

/** `İ` becomes an `i` and a dot of its own, which stands behind other marks where there are any. */
function withoutDotAboveI(text: string): string {
  if (!text.includes('\u0307')) return text;
  return text.normalize('NFKD').replace(/i\p{M}+/gu, (letter) => letter.replaceAll('\u0307', ''));
}

/**
 * Text as it is compared: compatibility forms made one (NFKC: full-width letters, ligatures), lower case, without
 * characters that show nothing, which are put into words to get them past a filter, and with any white space between words
 * one space.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\p{Z}\p{Cc}]+/gu, ' ');
}

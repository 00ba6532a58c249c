/**
 * Text as it is compared: compatibility forms made one (NFKC: full-width letters, ligatures), lower case, and without
 * characters that show nothing, which are put into words to get them past a filter.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .toLowerCase()
    .normalize('NFKC');
}

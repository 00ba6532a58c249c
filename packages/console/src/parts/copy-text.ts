/**
 * Puts a text into the clipboard. Without HTTPS the browser gives no clipboard; then the old way by a selection, inside of
 * the dialog that is open: it takes the focus back from whatever is outside of it, and nothing would be copied.
 * @returns whether it is there
 */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const focused = document.activeElement;
  (focused?.closest('[role=dialog]') ?? document.body).append(field);
  field.focus();
  field.select();
  const isDone = document.activeElement === field && document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}

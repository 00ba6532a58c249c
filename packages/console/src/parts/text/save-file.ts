/** Gives a file to the browser's downloads. */
export function saveFile(name: string, bytes: BlobPart | readonly BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob([bytes].flat() as BlobPart[], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The click has begun the download; the browser holds its own reference.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The names of media in the HTML of a field: `src="…"`, with or without quotes, and `[sound:…]`. */
const FIELD_MEDIA =
  /(\bsrc\s*=\s*(?:"|'|))((?<=")[^"<>]*|(?<=')[^'<>]*|[^\s"'<>]+)|(\[sound:)([^[\]\r\n<>]{1,300})(?=\])/gi

/** Returns the names of the media that the HTML of a field refers to. */
export function listFieldMediaNames(html: string): string[] {
  return [...html.matchAll(FIELD_MEDIA)].map(([, , address, , sound]) => toMediaName(address ?? sound ?? ''))
}

/** Replaces the names of media in fields. Those that are not in the map stay as written. */
export function renameFieldMedia(
  fields: Readonly<Record<string, string>> | null,
  renamed: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> | null {
  if (fields === null || renamed.size === 0) return fields
  const rename = (html: string) =>
    html.replace(FIELD_MEDIA, (found, start, address, mark, sound) => {
      const other = renamed.get(toMediaName(address ?? sound))
      return other === undefined ? found : `${start ?? mark}${Bun.escapeHTML(other)}`
    })
  return Object.fromEntries(Object.entries(fields).map(([name, html]) => [name, rename(html)]))
}

function toMediaName(address: string): string {
  const text = address.replaceAll('&amp;', '&')
  try {
    return decodeURIComponent(text).normalize('NFC')
  } catch {
    // The percent sign is part of the name.
    return text.normalize('NFC')
  }
}

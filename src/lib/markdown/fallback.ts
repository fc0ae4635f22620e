/** Writes the source of a text that is too complex to be rendered. */
export function writeFallback(source: string): string {
  return `<pre data-fallback="too_complex">${Bun.escapeHTML(source)}</pre>`
}

export function derive(body: string, title: string | null) {
  const h = /^# (.*)$/m.exec(body)?.[1]
  const plain = (s: string) => s.replace(/[*_`#]/g, '').trim()
  return { title: title ?? (plain(h ?? body.split(/\r?\n/).find((l) => l.trim()) ?? '').slice(0, 200) || 'Untitled'), excerpt: plain(body).slice(0, 200), word_count: (body.match(/[\p{L}\p{N}]+/gu) ?? []).length }
}
export const titleKey = (t: string) => t.normalize('NFC').toLowerCase().trim()

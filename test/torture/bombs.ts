import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { zipOf, zipOfTexts } from '../support/zip'

/** Small files that are large inside, or cost much to read. Made once, when first asked for. */

export interface Bomb {
  readonly path: string
  readonly type: string
  readonly bytes: () => Uint8Array<ArrayBuffer>
}

const MIB = 1024 * 1024
const NOTES = '/api/notes/import'
const WORKSPACE = '/api/import'
const TASKS = '/api/tasks/import'
const cards = (format: string) => `/api/flashcards/import?format=${format}`

const text = (content: string) => new Uint8Array(Buffer.from(content))
const zeros = (mib: number) => Buffer.alloc(mib * MIB)
const manifest = JSON.stringify({ format: 'satchel-workspace', version: 1 })
const event = (rule: string) => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n${rule}\r\nEND:VCALENDAR\r\n`
const task = (rule: string) =>
  event(`BEGIN:VTODO\r\nUID:a\r\nSUMMARY:T\r\nDTSTART:20260101T000000Z\r\n${rule}\r\nEND:VTODO`)
const package_ = (name: string, data: Uint8Array) =>
  zipOf([
    { name, data },
    { name: 'media', data: '{}' },
  ])

const ZIP = 'application/zip'
const MARKDOWN = 'text/markdown'
const ANY = 'application/octet-stream'
const CALENDAR = 'text/calendar'

const bomb = (path: string, type: string, make: () => Uint8Array<ArrayBuffer>): Bomb => {
  let made: Uint8Array<ArrayBuffer> | undefined
  return { path, type, bytes: () => (made ??= make()) }
}

export const BOMBS: Readonly<Record<string, Bomb>> = {
  'a zip of 256 MiB of zeros': bomb(NOTES, ZIP, () => zipOf([{ name: 'a.md', data: zeros(256) }])),
  'a zip that lies about its size': bomb(NOTES, ZIP, () => zipOf([{ name: 'a.md', data: zeros(64), size: 10 }])),
  'a zip of one file ten thousand times': bomb(NOTES, ZIP, () =>
    zipOf([
      { name: 'a.md', data: zeros(1) },
      ...Array.from({ length: 10_000 }, (_, i) => ({ name: `a${i}.md`, data: zeros(1), sameAs: 0 })),
    ]),
  ),
  'a zip in a zip in a zip': bomb(NOTES, ZIP, () =>
    zipOf([{ name: 'a.zip', data: zipOf([{ name: 'b.zip', data: zipOf([{ name: 'c.md', data: zeros(64) }]) }]) }]),
  ),
  'a zip that claims 60,000 entries': bomb(NOTES, ZIP, () => zipOf([{ name: 'a.md', data: 'a' }], { count: 60_000 })),
  'a zip that climbs out': bomb(NOTES, ZIP, () => zipOfTexts({ '../../../etc/cron.d/x.md': 'x', '/abs.md': 'y' })),
  'half a zip': bomb(NOTES, ZIP, () => zipOfTexts({ 'a.md': 'x'.repeat(5000) }).slice(0, 60)),
  'Markdown of quotes in quotes': bomb(NOTES, MARKDOWN, () => text('> '.repeat(100_000))),
  'Markdown of open links': bomb(NOTES, MARKDOWN, () => text('[[a]]('.repeat(50_000))),
  'Markdown of lists in lists': bomb(NOTES, MARKDOWN, () => text('- '.repeat(50_000))),
  'Markdown with YAML that multiplies': bomb(NOTES, MARKDOWN, () => {
    const lines = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]`)
    return text(`---\na0: &a0 [x]\n${lines.join('\n')}\ntags: *a12\n---\n# T`)
  }),
  'Markdown with deep YAML': bomb(NOTES, MARKDOWN, () => text(`---\na: ${'['.repeat(50_000)}\n---\n# T`)),
  'ENEX of open tags': bomb(NOTES, 'application/enex+xml', () =>
    text(`<?xml version="1.0"?><en-export><note><content>${'<div>'.repeat(100_000)}`),
  ),
  'XML that multiplies': bomb(NOTES, 'application/enex+xml', () => {
    const entities = Array.from({ length: 12 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`)
    return text(`<!DOCTYPE x [<!ENTITY l0 "lol">${entities.join('')}]><en-export>&l12;</en-export>`)
  }),
  'an archive of 128 MiB of one line': bomb(WORKSPACE, ZIP, () =>
    zipOf([
      { name: 'manifest.json', data: manifest },
      { name: 'data/note.jsonl', data: Buffer.alloc(128 * MIB, 0x5b) },
    ]),
  ),
  'an archive of deep JSON': bomb(WORKSPACE, ZIP, () =>
    zipOfTexts({ 'manifest.json': manifest, 'data/note.jsonl': '['.repeat(1_000_000) }),
  ),
  'an archive of a million empty lines': bomb(WORKSPACE, ZIP, () =>
    zipOfTexts({ 'manifest.json': manifest, 'data/task.jsonl': '{}\n'.repeat(100_000) }),
  ),
  'a calendar of every second': bomb(TASKS, CALENDAR, () => text(task('RRULE:FREQ=SECONDLY;COUNT=999999999'))),
  'a calendar that never comes': bomb(TASKS, CALENDAR, () =>
    text(task('RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYSETPOS=366')),
  ),
  'a calendar of parts in parts': bomb(TASKS, CALENDAR, () => text('BEGIN:VCALENDAR\r\n'.repeat(50_000))),
  'a calendar of one long line': bomb(TASKS, CALENDAR, () => text(task(`DESCRIPTION:${'\\n'.repeat(500_000)}`))),
  'a package of a zstd bomb': bomb(cards('apkg'), ANY, () =>
    package_('collection.anki21b', zstdCompressSync(zeros(256))),
  ),
  'a package without a collection': bomb(cards('apkg'), ANY, () => package_('collection.anki2', text('no SQLite'))),
  'a package of zeros': bomb(cards('apkg'), ANY, () => package_('collection.anki21', zeros(64))),
  'a package of a broken database': bomb(cards('apkg'), ANY, () =>
    package_('collection.anki2', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8192, 0x41)])),
  ),
  'a table of one endless quote': bomb(cards('csv'), ANY, () => text(`"${'a,'.repeat(500_000)}`)),
  'a table of a million columns': bomb(cards('csv'), ANY, () => text(','.repeat(1_000_000))),
  'gzip where none is taken': bomb('/api/notes', 'application/json', () => new Uint8Array(gzipSync(zeros(16)))),
  'deflated zeros as JSON': bomb('/api/tasks', 'application/json', () => new Uint8Array(deflateRawSync(zeros(16)))),
  'a million arrays': bomb('/api/notes', 'application/json', () => text('['.repeat(1_000_000))),
  'a million arrays in a member': bomb('/api/tasks', 'application/json', () =>
    text(`{"title":${'['.repeat(900_000)}${']'.repeat(900_000)}}`),
  ),
  'a number of a million digits': bomb('/api/notes', 'application/json', () =>
    text(`{"title":${'9'.repeat(1_000_000)}}`),
  ),
  'a hundred thousand members': bomb('/api/notes', 'application/json', () =>
    text(`{${Array.from({ length: 100_000 }, (_, i) => `"m${i}":1`).join()}}`),
  ),
  'a hundred thousand properties': bomb('/api/notes', 'application/json', () =>
    text(`{"properties":{${Array.from({ length: 100_000 }, (_, i) => `"m${i}":1`).join()}}}`),
  ),
  'a note of brackets': bomb('/api/notes', 'application/json', () =>
    text(JSON.stringify({ body: '[['.repeat(400_000) })),
  ),
  'a note of emphasis': bomb('/api/notes', 'application/json', () =>
    text(JSON.stringify({ body: '*a_ '.repeat(200_000) })),
  ),
  'more than a body may have': bomb('/api/notes', 'application/json', () => text(`"${'x'.repeat(3 * MIB)}"`)),
  'drafts of a large text': bomb('/api/flashcards/drafts', 'application/json', () =>
    text(JSON.stringify({ text: 'a :: b\n'.repeat(100_000) })),
  ),
  'chat of a long word': bomb('/api/chat', 'application/json', () =>
    text(JSON.stringify({ messages: [{ role: 'user', content: 'add '.repeat(4000) }] })),
  ),
}

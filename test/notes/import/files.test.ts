import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readName } from '../../../src/lib/zip/read'
import { createNamer } from '../../../src/notes/archive/files'
import { parseMarkdown } from '../../../src/notes/import/markdown-file'
import type { ParsedValue } from '../../../src/notes/import/parsed'
import { runs } from '../../support/full'
import { zipOf, zipOfTexts } from '../../support/zip'
import { readAll, ZIP } from './support'

const ID = '01900000-0000-7000-8000-00000000abcd'
const markdown = (text: string, path: string | null = 'a.md') => parseMarkdown(path, Buffer.from(text), 'markdown')
const valuesOf = async (bytes: Uint8Array<ArrayBuffer>, format: 'auto' | 'keep' = 'auto'): Promise<ParsedValue[]> =>
  (await readAll(bytes, { ...ZIP, format })).items.map(({ value }) => value as ParsedValue)
const items = (files: Record<string, string>, format?: 'keep') => valuesOf(zipOfTexts(files), format)

describe('a Markdown file', () => {
  test('is a note with the title and the folder of its path', () => {
    expect(markdown('text', 'Work/Plans/Trip.MD')).toMatchObject({
      source: { system: 'markdown', id: 'Work/Plans/Trip.MD' },
      draft: { title: 'Trip', folder: 'Work/Plans', body: 'text', pinned: null, archived: null, created_at: null },
      warnings: [],
    })
  })

  test('says more in its front matter; what has no meaning is a property', () => {
    const { id, draft, warnings } = markdown(
      `---\ntitle: 1.0\nid: ${ID}\ntags: [a, '#b/c', 2026]\ncreated: 2026-01-02\nupdated: 2026-01-02 05:04 +0200\npinned: true\narchived: 2026-02-02T00:00:00Z\nfolder: X/Y\naliases: [Z]\ndate: 2026-03-03\nempty:\n---\nbody`,
    )
    expect([id, warnings]).toEqual([ID, []])
    expect(draft).toEqual({
      title: '1.0',
      body: 'body',
      folder: 'X/Y',
      tags: ['a', 'b/c', '2026'],
      pinned: true,
      archived: Date.parse('2026-02-02T00:00:00Z'),
      properties: { aliases: ['Z'], date: '2026-03-03', empty: null },
      created_at: Date.parse('2026-01-02T00:00:00Z'),
      updated_at: Date.parse('2026-01-02T03:04:00Z'),
      daily_date: null,
      front_matter: expect.stringMatching(/^---\ntitle: 1.0\n/),
    })
  })

  test.each([
    ['created: 2026-01-02\nupdated: 2026-01-03T04:05:06Z', '2026-01-02', '2026-01-03T04:05:06Z'],
    ['date: 2026-01-02\nmodified: 2026-01-03 04:05', '2026-01-02', '2026-01-03T04:05:00Z'],
    ['date: 2020-01-01\ncreated: 2026-01-02\nmodified: 2020-01-01\nupdated: 2026-01-03', '2026-01-02', '2026-01-03'],
    ['created:\ndate: 2026-01-02', '2026-01-02', null],
    ['date: Friday\nmodified: [2026-01-01]', null, null],
    ['created: 2026-01-02', '2026-01-02', null],
  ])('with %j has those dates, else those of the file', (yaml, created, updated) => {
    const changedAt = Date.parse('2026-02-02T02:02:02Z')
    const file = Buffer.from(`---\n${yaml}\n---\n`)
    for (const at of [changedAt, null]) {
      const { draft } = parseMarkdown('a.md', file, 'obsidian', at)
      expect(draft.created_at).toBe(created === null ? null : Date.parse(created))
      expect(draft.updated_at).toBe(updated === null ? at : Date.parse(updated))
    }
  })

  test('keeps `date` and `modified` as properties as well', () => {
    const { draft, warnings } = markdown('---\ndate: 2026-01-02\nmodified: soon\n---\n')
    expect([draft.properties, warnings]).toEqual([{ date: '2026-01-02', modified: 'soon' }, []])
  })

  test('keeps as a property, with a warning, what has no form that is understood', () => {
    const { draft, warnings } = markdown(
      '---\ncreated: yesterday\ntags: {a: 1}\npinned: often\narchived: [1]\ntitle: [x]\n---\n',
    )
    expect(draft.properties).toEqual({
      created: 'yesterday',
      tags: { a: 1 },
      pinned: 'often',
      archived: [1],
      title: ['x'],
    })
    expect(warnings.map(({ code }) => code)).toEqual(Array(5).fill('front_matter_value'))
  })

  test.each([
    [{ system: 'web', id: '7' }, { system: 'web', id: '7' }, null],
    [{ system: 'web', id: '7', url: 'https://example.org' }, { system: 'web', id: '7' }, 'https://example.org'],
    [{ url: 'https://example.org' }, null, 'https://example.org'],
  ])('of ours has the source %j', (stated, source, source_url) => {
    const read = markdown(`---\nid: ${ID}\nsatchel: ${JSON.stringify({ source: stated })}\n---\nbody`)
    expect(read).toMatchObject({ source, source_url, warnings: [] })
  })

  test.each([
    { system: 'web' },
    { system: 'web', id: '7', url: 'file:///etc' },
    {},
    { url: 'a b' },
    { name: 'x' },
    'web',
  ])('with %j as a source has a property instead', (stated) => {
    const { source, source_url, draft } = markdown(
      `---\nid: ${ID}\nsatchel: ${JSON.stringify({ source: stated })}\n---\nbody`,
    ) as never as { source: unknown; source_url: unknown; draft: { properties: object } }
    expect([source, source_url]).toEqual([null, null])
    expect(draft.properties).toEqual({ satchel: { source: stated } })
  })

  test('may have an id of another program, which is a property', () => {
    expect(markdown('---\nid: 202601021200\n---\n')).toMatchObject({
      id: null,
      draft: { properties: { id: 202601021200 } },
      warnings: [],
    })
  })

  test('may write its tags as a line', () => {
    expect(markdown('---\ntags: "one, two #three"\n---\n').draft.tags).toEqual(['one', 'two', 'three'])
  })

  test('sent alone is known by its content and named by its body', () => {
    const [one, same, other] = [markdown('# A', null), markdown('# A', null), markdown('# B', null)]
    expect(one.source).toEqual(same.source)
    expect(one.source).not.toEqual(other.source)
    expect(one.draft).toMatchObject({ title: null, folder: null })
  })

  test('sent alone that is larger than a note can be fails, as it does in an archive', async () => {
    const bytes = new Uint8Array(3 * 1024 * 1024).fill(0x61)
    expect((await readAll(bytes, { ...ZIP, kind: 'markdown' })).items).toMatchObject([
      { where: '', value: { outcome: 'failed', warnings: [{ code: 'too_long' }] } },
    ])
  })

  test('loses its byte-order mark and nothing else', () => {
    expect(markdown('\ufeff---\na: 1\n---\n\ufeffb\r\n').draft).toMatchObject({
      body: '\ufeffb\r\n',
      properties: { a: 1 },
    })
  })
})

describe('an archive', () => {
  test('of a vault is told by its settings, which are no notes', async () => {
    const bytes = zipOf([
      { name: '.obsidian/app.json', data: '{}' },
      { name: 'Note.md', data: 'x' },
      { name: '.trash/Old.md', data: 'x' },
      { name: '__MACOSX/._Note.md', data: 'x' },
      { name: 'image.png', data: 'not inflated', crc: 1 },
      { name: 'nested.zip', data: zipOfTexts({ 'inner.md': 'x' }) },
    ])
    expect((await readAll(bytes)).format).toBe('obsidian')
    expect(
      (await valuesOf(bytes)).map((item) =>
        'outcome' in item ? `${item.outcome} ${item.warnings[0]?.code}` : item.source?.system,
      ),
    ).toEqual(['skipped not_a_note', 'obsidian', 'skipped not_a_note', 'skipped not_a_note'])
  })

  test('whose files are no text, or hold NUL, fails file by file', async () => {
    const bytes = zipOf([
      { name: 'a.md', data: new Uint8Array([0xff, 0xfe]) },
      { name: 'b.md', data: 'a\0b' },
      { name: 'c.md', data: 'x'.repeat(3e6) + Math.E, method: 0 },
      { name: 'd.md', data: 'ok' },
    ])
    expect((await valuesOf(bytes)).map((item) => ('outcome' in item ? item.warnings[0]?.code : 'ok'))).toEqual([
      'not_utf8',
      'unstorable_text',
      'too_long',
      'ok',
    ])
  })
})

describe('Google Keep', () => {
  const keep = (more: object) =>
    JSON.stringify({
      title: 'T',
      textContent: 'text',
      isTrashed: false,
      isPinned: true,
      isArchived: true,
      color: 'RED',
      userEditedTimestampUsec: 1767323045000000,
      createdTimestampUsec: 1767236645000000,
      labels: [{ name: 'home' }],
      ...more,
    })

  test('is known by the shape of its files, wherever they lie', async () => {
    const all = await items({
      'Takeout/Notizen/T.json': keep({}),
      'Takeout/Notizen/T.html': '<p>',
      'Takeout/Notizen/other.json': '{"a":1}',
      'Takeout/x.jpg': '',
    })
    expect(all[0]).toMatchObject({
      source: { system: 'keep', id: '1767236645000000' },
      draft: {
        title: 'T',
        body: 'text',
        tags: ['home'],
        pinned: true,
        archived: 1767323045000,
        properties: { color: 'RED' },
        created_at: 1767236645000,
        updated_at: 1767323045000,
      },
    })
    expect(all.slice(1).map((item) => ('outcome' in item ? item.warnings[0]?.code : 'a note'))).toEqual([
      'not_a_note',
      'not_a_note',
      'attachment_skipped',
    ])
  })

  test('lists become boxes, trash is skipped, attachments that are missing are told of, notes of one moment kept apart', async () => {
    const all = await items(
      {
        'a.json': keep({
          textContent: undefined,
          listContent: [
            { text: 'milk', isChecked: true },
            { text: 'eggs', isChecked: false },
          ],
          attachments: [{ filePath: 'x.jpg' }],
        }),
        'b.json': keep({ isTrashed: true, createdTimestampUsec: 5 }),
        'c.json': keep({}),
        'd.json': '{broken',
      },
      'keep',
    )
    expect(all).toMatchObject([
      { draft: { body: '- [x] milk\n- [ ] eggs' }, warnings: [{ code: 'attachment_missing' }] },
      { outcome: 'skipped', warnings: [{ code: 'trashed' }] },
      { source: { id: '1767236645000000-2' } },
      { outcome: 'failed', warnings: [{ code: 'invalid_json' }] },
    ])
  })
})

describe('the name of an exported file', () => {
  test.each([
    [null, 'Trip', 'Trip.md'],
    ['Work/Plans', 'A/B: "C"?', 'Work/Plans/A-B- -C--.md'],
    [null, 'CON', 'CON_.md'],
    ['nul.x', 'lpt1.txt', 'nul_.x/lpt1_.txt.md'],
    ['...', '..hidden', '_/_hidden.md'],
    [null, 'ends. ', 'ends.md'],
    [null, 'a\u202egpj.exe', 'a-gpj.exe.md'],
    ['__MACOSX', '\u200f', '_MACOSX/-.md'],
    ['What?/a "b"/etc.', 'x', 'What?/a "b"/etc./x.md'],
    ['C:/.x', 'x', 'C-/_x/x.md'],
    [`${'é'.repeat(127)}/${'é'.repeat(128)}`, 'x', `${'é'.repeat(127)}/${'é'.repeat(100)}/x.md`],
  ])('%j and %j give %s', (folder, title, path) => {
    expect(createNamer()(folder, title)).toBe(path)
  })

  test('is another for each note, in the order in which they come', () => {
    const name = createNamer()
    expect(['A', 'a', 'A (2)', 'A', 'a?', 'a*'].map((title) => name(null, title))).toEqual([
      'A.md',
      'a (2).md',
      'A (2) (2).md',
      'A (3).md',
      'a-.md',
      'a- (2).md',
    ])
  })

  test('is safe whatever the title, and ours to read', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
      fc.constantFrom('..', '.', 'C:', 'con', 'aux.md', '\\\\x', '𠮷'.repeat(300), 'é'.repeat(150), ' ', '-'),
    )
    fc.assert(
      fc.property(part, fc.array(part, { minLength: 2, maxLength: 6 }), (folder, titles) => {
        const name = createNamer()
        const paths = [...titles, ...titles].map((title) => name(folder.replaceAll('/', '-'), title))
        expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length)
        for (const path of paths) {
          expect(readName(Buffer.from(path), true)).toEqual({ name: path.toWellFormed(), fault: null })
          for (const one of path.split('/')) {
            expect(Buffer.byteLength(one)).toBeLessThanOrEqual(255)
            expect(one).not.toMatch(/[\p{Cc}:\\]|^\.|^(con|prn|aux|nul)(\.|$)/iu)
          }
          const file = path.split('/').at(-1) ?? ''
          expect(Buffer.byteLength(file)).toBeLessThanOrEqual(200)
          expect(file).not.toMatch(/[<>"|?*]|[. ]$/)
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

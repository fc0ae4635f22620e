import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { changeImportedRow, createImportedRow } from '../../../src/notes/import/imported-rows'
import { parseMarkdown } from '../../../src/notes/import/markdown-file'
import { writeNoteFrontMatter } from '../../../src/notes/import/write-front-matter'
import { patchRow } from '../../../src/notes/note'
import type { UpdateNote } from '../../../src/notes/schema'
import type { NoteRow } from '../../../src/notes/store'
import { runs } from '../../support/full'

const ID = '01890000-0000-7000-8000-000000000001'
const [AT, LATER] = [Date.parse('2026-03-01T08:15:00Z'), Date.parse('2026-03-02T08:15:00Z')]
const PATH = 'Work/Trip.md'

const read = (text: string, path = PATH) => parseMarkdown(path, Buffer.from(text), 'obsidian')
/** The note that an import makes of a file. */
const imported = (text: string, path = PATH): NoteRow => ({ ...createImportedRow(read(text, path), ID, AT), key: 1 })
const exported = (note: NoteRow, path = PATH) => writeNoteFrontMatter(note, path) + note.body
const patched = (note: NoteRow, patch: UpdateNote): NoteRow => patchRow(note, patch, LATER) ?? note

/** What Satchel adds: one member, the last of the block. */
const OURS = /^satchel:\r?\n(?: [^\n]*\n)+/m
const without = (text: string) => text.replace(OURS, '')

const members = ({ key: _, revision: __, computed_revision: ___, ...note }: NoteRow) => ({
  ...note,
  properties: JSON.parse(note.properties),
})

/** What anyone sees of a note; the case of tags is the workspace's. */
function shown(note: NoteRow) {
  const { front_matter: _, size_bytes: __, tags, ...rest } = members(note)
  return JSON.parse(JSON.stringify({ ...rest, tags: tags.toLowerCase() }))
}

const FILE = `---
# what this is
title: "Trip"   # in quotes
'tags': [Travel,  "a/b"]
rating: 3.10
code:   007
big: 12345678901234567890
"quoted name": yes
empty:
date: 2024-01-02
aliases:
    - One
    - 'Two'   # second

folded: >-
  some text
  over lines
created: 2024-01-02
updated: 2025-01-02T03:04:05+02:00
nested: {a: [1, 2],   b: ~}
---
body
`

describe('front matter that comes in and goes out', () => {
  test.each([
    ['of many forms', FILE],
    ['with CRLF', FILE.replaceAll('\n', '\r\n')],
    ['with comments alone', '---\n# nothing\n---\nbody'],
    ['with blank lines', '---\n\na: 1\n\n\nb: 2\n\n---\n\nbody'],
    ['with a block at its end', '---\na: |\n  one\n  two\n---\n'],
    ['with a list at its end', '---\na:\n- 1\n- 2\n---\n'],
    ['with indented lists and names of names', '---\na:\n  b:\n     - {c: d}\n  e: !!str 5\n---\n'],
    ['with members of other programs', '---\ncreated: last week\nid: 202401\ntags: {a: 1}\n---\n'],
    ['with a bare archived and pinned', '---\narchived: true\npinned: false\ntags:\n---\n'],
    ['with a date that is none', '---\ncreated: yesterday\ndate: 2020-13-45\n---\nbody'],
    ['with more tags than a note has', `---\ntags: [${Array.from({ length: 70 }, (_, n) => `t${n}`)}]\n---\nbody`],
    ['with a folder that leads out', '---\nfolder: ../../Plans\n---\nbody'],
    ['with a folder that is too long', `---\nfolder: ${'d'.repeat(200)}/${'e'.repeat(400)}\n---\nbody`],
    ['with what is not YAML', '---\na: [\n---\nbody'],
    ['without any', 'body'],
    ['with rules instead', '---\nsome text\n---\n'],
  ])('%s is the same but for one member', (_, file) => {
    const note = imported(file)
    const out = exported(note)
    const hadNone = !file.startsWith('---\n') || note.front_matter === ''
    expect(without(out)).toBe(hadNone && !file.startsWith('---\r\n') ? `---\n---\n${file}` : file)
    expect(out.match(/^satchel:/gm)).toHaveLength(1)
    const again = { ...createImportedRow(read(out), ID, AT), key: 1 }
    expect(members(again)).toEqual(members(note))
  })

  const name = fc.constantFrom(...'a b title tags created updated pinned archived folder id'.split(' '), 'x y')
  const scalar = fc.oneof(
    fc.constantFrom(
      '1',
      '007',
      '3.10',
      'true',
      'yes',
      '~',
      '',
      '"q"',
      "'q'",
      '2024-01-02',
      '[a,  b]',
      '{a:  1}',
      '|\n  t\n',
      '>-\n   t\n   u',
      '\n  - a\n  -   b',
      '\n- a\n- b',
      '\n  k: v\n',
      '0x1F',
      '1e3',
      '.nan',
      '!!str 1',
      '"a\\nb"',
    ),
    fc.string({ unit: fc.constantFrom(...'ab1 -:,[]{}#\'"&*!|>%@`~é'), maxLength: 12 }),
  )
  const comment = fc.constantFrom('', '', ' # c', '   # two  words')
  const line = fc
    .tuple(name, fc.constantFrom(':', ':  ', ': '), scalar, comment)
    .map(
      ([key, colon, value, end]) =>
        `${key}${colon}${value.startsWith('\n') || colon !== ':' || value === '' ? '' : ' '}${value}${value.includes('\n') ? '' : end}\n`,
    )
  const other = fc.constantFrom('\n', '# a comment\n', '  \n')
  const yaml = fc
    .array(fc.oneof({ weight: 5, arbitrary: line }, other), { maxLength: 8 })
    .map((lines) => lines.join(''))

  test('of random YAML is the same but for one member, and reads as the same note', () => {
    let kept = 0
    fc.assert(
      fc.property(yaml, fc.boolean(), (inner, crlf) => {
        const file = crlf ? `---\n${inner}---\nbody`.replaceAll('\n', '\r\n') : `---\n${inner}---\nbody`
        const note = imported(file)
        const out = exported(note)
        expect(members({ ...createImportedRow(read(out), ID, AT), key: 1 })).toEqual(members(note))
        if (note.front_matter === '') return
        kept++
        expect(without(out)).toBe(file)
      }),
      { numRuns: runs(1000) },
    )
    expect(kept).toBeGreaterThan(runs(1000) / 10)
  })
})

describe('a note that changed here', () => {
  /** The lines that differ between two texts, each with its sign. */
  function changed(before: string, after: string): string[] {
    const [a, b] = [before, after].map((text) => without(text).split('\n'))
    return [
      ...(a ?? []).filter((one) => !b?.includes(one)).map((one) => `-${one}`),
      ...(b ?? []).filter((one) => !a?.includes(one)).map((one) => `+${one}`),
    ]
  }
  const updated = ['-updated: 2025-01-02T03:04:05+02:00', '+updated: 2026-03-02T08:15:00.000Z']

  test.each([
    [{ properties: { rating: 4 } }, ['-rating: 3.10', '+rating: 4']],
    [{ properties: { code: '007' } }, ['-code:   007', '+code: "007"']],
    [{ properties: { 'quoted name': null } }, ['-"quoted name": yes']],
    [{ properties: { 'quoted name': { a: [1] } } }, ['-"quoted name": yes', '+"quoted name":', '+  a:', '+    - 1']],
    [{ properties: { empty: 'full' } }, ['-empty:', '+empty: full']],
    [{ properties: { folded: 'flat' } }, ['-folded: >-', '-  some text', '-  over lines', '+folded: flat']],
    [{ properties: { added: 'a\nb' } }, ['+added: "a\\nb"']],
    [
      { properties: { aliases: ['One'] } },
      ['-aliases:', '-    - One', "-    - 'Two'   # second", '+aliases:', '+  - One'],
    ],
    [{ title: 'Journey' }, ['-title: "Trip"   # in quotes', '+title: Journey   # in quotes']],
    [{ tags: ['travel', 'a/b'] }, []],
    [{ tags: ['x'] }, [`-'tags': [Travel,  "a/b"]`, `+'tags':`, '+  - x']],
    [{ folder: 'Else' }, []],
    [{ pinned: true }, []],
  ] as [UpdateNote, string[]][])('by %j has only that line changed, and when', (patch, lines) => {
    const before = imported(FILE)
    const after = patched(before, patch)
    const diff = changed(exported(before), exported(after))
    const expected = patch.tags?.length === 2 ? updated : [...lines, ...updated]
    expect(diff.toSorted()).toEqual(expected.filter((one) => one !== '-aliases:' && one !== '+aliases:').toSorted())
    const again: NoteRow = { ...createImportedRow(read(exported(after)), ID, AT), key: 1 }
    expect(shown(again)).toEqual(shown(after))
  })

  test('reads as what it is after any patch', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('yes', '007', '2024-01-01', '# a', 'a: b', '~'),
    )
    const patch = fc.record(
      {
        title: fc.constantFrom('T', '1.0', 'a: b', 'Trip'),
        folder: fc.constantFrom(null, 'Work', 'A/B'),
        tags: fc.constantFrom([], ['x'], ['Travel', 'a/b'], ['1']),
        pinned: fc.boolean(),
        archived_at: fc.constantFrom(null, '2026-01-01T00:00:00.000Z'),
        properties: fc.dictionary(
          fc.constantFrom('rating', 'date', 'created', 'satchel', 'new one', 'aliases', 'title'),
          value,
        ),
      },
      { requiredKeys: [] },
    )
    const files = fc.constantFrom(
      FILE,
      '---\n{a: 1}\n---\n',
      'body',
      '---\n? a\n: 1\n---\n',
      '---\n  a: 1\n  b: 2\n---\n',
      '---\narchived: true\npinned: true\ndate: 2020-01-01\n---',
    )
    fc.assert(
      fc.property(files, fc.array(patch, { maxLength: 3 }), (file, patches) => {
        const note = patches.reduce((one, change) => patched(one, change as never), imported(file))
        const again: NoteRow = { ...createImportedRow(read(exported(note)), ID, AT), key: 1 }
        expect(shown(again)).toEqual(shown(note))
      }),
      { numRuns: runs(400) },
    )
  })

  test('with a member of our name from elsewhere keeps it under ours', () => {
    const out = exported(imported('---\na: 007\nsatchel: mine\n---\n'))
    expect(out).toMatch(/^---\na: 007\nsatchel:\n {2}id: .*\n(?: {2}.*\n)+ {4}satchel: mine\n---\n$/)
    expect(read(out).draft.properties).toEqual({ a: 7, satchel: 'mine' })
  })

  test('into what would be read as something else gets a block of its own', () => {
    const note = patched(imported('---\ncreated: last week  # or so\n---\n'), { properties: { created: '2020-01-01' } })
    const again: NoteRow = { ...createImportedRow(read(exported(note)), ID, AT), key: 1 }
    expect(shown(again)).toEqual(shown(note))
  })

  test('keeps the line ends of its file', () => {
    const note = patched(imported(FILE.replaceAll('\n', '\r\n')), { properties: { aliases: ['a', 'b'], added: [1] } })
    expect(exported(note).replaceAll('\r\n', '')).not.toContain('\n')
  })

  test('that is more than a note can have comes in as far as it can, and the report says so', () => {
    const tags = Array.from({ length: 70 }, (_, n) => `t${n}`)
    const many = read(`---\ntags: [${tags}]\nfolder: ..\\Work/../Plans\n---\n`)
    expect(many.draft).toMatchObject({ tags: tags.slice(0, 64), folder: '..-Work/Plans' })
    expect(many.warnings.map(({ code }) => code)).toEqual(['tag_changed', 'folder_changed'])
    const deep = `${Array.from({ length: 18 }, (_, level) => `${'  '.repeat(level)}k:`).join('\n')}\n`
    const [tooDeep, tooLong] = [`---\n${deep}---\nbody`, `---\np: ${'x'.repeat(70_000)}\n---\nbody`]
    for (const file of [tooDeep, tooLong]) {
      const { draft, warnings } = read(file)
      expect(draft).toMatchObject({ body: file, properties: {}, title: 'Trip' })
      expect(warnings.map(({ code }) => code)).toEqual(['front_matter_broken'])
    }
    const most = read(`---\ntags: [${tags.slice(0, 64)}]\nfolder: ${'d'.repeat(512)}\np: ${'x'.repeat(65_000)}\n---\n`)
    expect(most.warnings).toEqual([])
    expect(most.draft.folder).toHaveLength(512)
  })

  test('and comes back from its file is not changed by it', () => {
    const note = patched(imported(FILE), { properties: { rating: 4 } })
    const back = changeImportedRow(note, read(exported(note)).draft, LATER)
    expect({ ...back, front_matter: '' }.properties).toBe(note.properties)
    expect(writeNoteFrontMatter(back, PATH)).toBe(writeNoteFrontMatter(note, PATH))
  })
})

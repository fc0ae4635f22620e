import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../src/http/api-error'
import { applyEdits } from '../../src/notes/apply-edits'
import { listBlocks } from '../../src/notes/edit-blocks'
import { findOccurrences, getHeadingPath, listSections, matchSections } from '../../src/notes/edit-targets'
import type { BodyEdit } from '../../src/notes/schema'
import { runs } from '../support/full'
import { ModelRefusal, modelEdit } from './edits-model'
import { markdown } from './markdown-arbitrary'

const KINDS = {
  edit_target_missing: 'missing',
  edit_target_ambiguous: 'ambiguous',
  invalid_request: 'invalid',
} as const

/** The body after one edit, or which refusal it met. */
function outcome(edit: () => string): string {
  try {
    return edit()
  } catch (error) {
    if (error instanceof ModelRefusal) return error.kind
    if (error instanceof ApiError) return KINDS[error.code as keyof typeof KINDS]
    throw error
  }
}

function refusal(body: string, ...edits: BodyEdit[]): ApiError {
  try {
    applyEdits(body, edits)
  } catch (error) {
    if (error instanceof ApiError) return error
  }
  throw new Error('nothing was refused')
}

const name = fc.constantFrom('A', 'B', 'C d')
const path = fc.array(name, { minLength: 1, maxLength: 3 })
const line = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 6 }), name).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
  fc.constantFrom('', '', '  ', 'text', 'A', '* item', '* # A', '> # B', '#tag', 'text text'),
)
const scope = fc.constantFrom('section' as const, 'own' as const)
const content = fc.constantFrom('', 'new', 'one\ntwo', '\n\n- new\n', '- new\n\n- newer  ', '  ')
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 })

/** Leaves out the members that are undefined. */
const made = (edit: object): BodyEdit => JSON.parse(JSON.stringify(edit))

const onHeading = fc
  .record({
    op: fc.constantFrom('append', 'prepend', 'replace', 'insert_before', 'insert_after'),
    target: fc.record({ heading: path, nth: optional(fc.integer({ min: 1, max: 3 })), scope: optional(scope) }),
    content,
    join: optional(fc.constantFrom('block', 'line')),
  })
  .map(made)
const creating = fc
  .record({
    op: fc.constantFrom('append', 'prepend', 'replace'),
    target: fc.record({ heading: path }),
    content,
    join: optional(fc.constantFrom('block', 'line')),
    create_missing: fc.constant(true),
  })
  .map(made)
const deleting = fc
  .record({ op: fc.constant('delete'), target: fc.record({ heading: path, scope: optional(scope) }) })
  .map(made)
const onDocument = fc
  .record({
    op: fc.constantFrom('append', 'prepend', 'replace'),
    target: fc.constant({ document: true }),
    content,
    join: optional(fc.constantFrom('block', 'line')),
  })
  .map(made)
const onText = fc
  .record({
    op: fc.constantFrom('replace', 'insert_before', 'insert_after', 'delete'),
    target: fc.record({
      text: fc.constantFrom('text', 'A', 'te', 't', 'item', '##'),
      within: optional(path),
      nth: optional(fc.integer({ min: 1, max: 3 })),
    }),
    content: fc.constantFrom('', 'X', 'text'),
  })
  .map(({ content: text, ...edit }) => made(edit.op === 'delete' ? edit : { ...edit, content: text }))

describe('edits', () => {
  test.each(['\n', '\r\n'])('of random notes, line ending %j, come to what a model by lines comes to', (lineEnd) => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 14 }),
        fc.array(fc.oneof(onHeading, onHeading, creating, deleting, onDocument, onText), {
          minLength: 1,
          maxLength: 3,
        }),
        (lines, edits) => {
          // Where there is no line end yet, the one of the content is taken: another test.
          const body = ['text', ...lines, ''].join(lineEnd)
          let expected = body
          for (const edit of edits) {
            if (!expected.includes(lineEnd)) return
            expected = outcome(() => modelEdit(expected, edit, lineEnd))
            if (Object.values(KINDS).includes(expected as 'missing')) break
          }
          seen.add(Object.values(KINDS).includes(expected as 'missing') ? expected : 'done')
          expect(outcome(() => applyEdits(body, edits))).toBe(expected)
        },
      ),
      { numRuns: runs(3000) },
    )
    expect(seen).toEqual(new Set(['done', 'missing', 'ambiguous', 'invalid']))
  })

  test('change nothing of any Markdown but their target', () => {
    const op = fc.constantFrom('append', 'prepend', 'replace', 'delete', 'insert_before', 'insert_after')
    const join = fc.constantFrom('block', 'line', 'none')
    fc.assert(
      fc.property(markdown, fc.nat(), op, join, fc.boolean(), (body, pick, op, join, own) => {
        const sections = listSections(body)
        const section = sections[pick % Math.max(1, sections.length)]
        if (!section) return
        const heading = getHeadingPath(section)
        const nth = matchSections(sections, heading).indexOf(section) + 1
        const target = { heading, nth, scope: own ? ('own' as const) : ('section' as const) }
        const edit = op === 'delete' ? { op, target } : { op, target, content: 'new text', join }
        const after = applyEdits(body, [edit as BodyEdit])
        const { start, bodyStart, ownEnd, sectionEnd } = section.heading
        const end = own ? ownEnd : sectionEnd
        const from = op === 'delete' ? start : bodyStart
        const taken = op === 'replace' || op === 'delete'
        const before = commonLength(body, after)
        const behind = commonLength(reversed(body), reversed(after))
        if (taken) {
          expect(before).toBeGreaterThanOrEqual(from)
          expect(behind).toBeGreaterThanOrEqual(body.length - end)
        } else {
          expect(before + behind).toBeGreaterThanOrEqual(body.length)
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  test('find a section again by its path in any Markdown, also where there are several', () => {
    fc.assert(
      fc.property(markdown, (body) => {
        const sections = listSections(body)
        for (const section of sections) expect(matchSections(sections, getHeadingPath(section))).toContain(section)
      }),
      { numRuns: runs(500) },
    )
  })
})

const reversed = (text: string) => text.split('').reverse().join('')

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1
  return length
}

const PLAN = '# P\n\n## N\n- a\n\n## X\n\nt\n'

/** An edit of a section by the path of its heading, of a text, or of the document. */
function at(op: BodyEdit['op'], where: string[] | string | null, content?: string, rest: Partial<BodyEdit> = {}) {
  const target = where === null ? { document: true } : typeof where === 'string' ? { text: where } : { heading: where }
  return { op, target, ...(content === undefined ? {} : { content }), ...rest } as BodyEdit
}

const onBlock = (op: BodyEdit['op'], block: string, content?: string, rest: Partial<BodyEdit> = {}): BodyEdit =>
  made({ op, target: { block }, content, ...rest })

const within = (heading: string) => ({ target: { text: 'x', within: [heading] } })
const NEW = { create_missing: true }
const LINE = { ...NEW, join: 'line' } as const
const HIDDEN = '# A\n\n```\n# B\n```\n\n> # B\n\n- # B\n\n# B\n'

describe('one edit', () => {
  test.each<[string, string, BodyEdit, string]>([
    ['a list item', PLAN, at('append', ['N'], '- c', { join: 'line' }), '# P\n\n## N\n- a\n- c\n\n## X\n\nt\n'],
    ['a first item', PLAN, at('prepend', ['N'], '- 0\n', { join: 'line' }), '# P\n\n## N\n- 0\n- a\n\n## X\n\nt\n'],
    ['a block', PLAN, at('append', ['N'], 'c'), '# P\n\n## N\n- a\n\nc\n\n## X\n\nt\n'],
    ['a block under a heading', PLAN, at('prepend', ['N'], 'c'), '# P\n\n## N\n\nc\n\n- a\n\n## X\n\nt\n'],
    ["a section's content", PLAN, at('replace', ['N'], 'c\n\n'), '# P\n\n## N\n\nc\n\n## X\n\nt\n'],
    ['no content', PLAN, at('replace', ['N'], ''), '# P\n\n## N\n## X\n\nt\n'],
    ['a section away', PLAN, at('delete', ['P', 'N']), '# P\n\n## X\n\nt\n'],
    ['only its own part away', PLAN, { op: 'delete', target: { heading: ['P'], scope: 'own' } }, PLAN.slice(5)],
    [
      'a section before another',
      PLAN,
      at('insert_before', ['X'], '## W\n\nx'),
      PLAN.replace('## X', '## W\n\nx\n\n## X'),
    ],
    ['a section after another', PLAN, at('insert_after', ['N'], '## W'), PLAN.replace('## X', '## W\n\n## X')],
    ['under an underlined heading', 'A\n=\nB\n-\nx', at('append', ['A', 'B'], 'y'), 'A\n=\nB\n-\nx\n\ny'],
    ['under a heading without a line end', '# A', at('append', ['A'], 'x', { join: 'none' }), '# A\nx'],
    ['as it is', '# A\nx\n# B', at('append', ['A'], 'y', { join: 'none' }), '# A\nx\ny\n# B'],
    ['as it is, at the top', '# A\nx\n# B', at('prepend', ['A'], 'y ', { join: 'none' }), '# A\ny x\n# B'],
    ['as it is, in place of a section', '# A\n\nx\n\n# B', at('replace', ['A'], 'y', { join: 'none' }), '# A\ny\n# B'],
    ['as it is, to the document', 'x\n', at('append', null, 'y', { join: 'none' }), 'x\ny'],
    ['to an empty note', '', at('append', null, 'y'), 'y'],
    ['to a note of blank lines', '\n\n', at('append', null, 'y'), 'y\n\n'],
    ['the whole document', 'x\r\ny', at('replace', null, 'a\nb\n'), 'a\r\nb\r\n'],
    ['with the line ending of the body', '# A\r\nx\r\n', at('append', ['A'], 'y\nz'), '# A\r\nx\r\n\r\ny\r\nz\r\n'],
    ['with an old Mac line ending', '# A\rx\r', at('append', ['A'], 'y\r\nz', { join: 'line' }), '# A\rx\ry\rz\r'],
    ['with its own line ending where the body has none', 'x', at('append', null, 'y\r\nz'), 'x\r\n\r\ny\r\nz'],
    ['text literally', 'a\r\nb', at('replace', 'a', 'x\ny$&'), 'x\ny$&\r\nb'],
    ['text before text', 'ab', at('insert_before', 'b', '-'), 'a-b'],
    ['text in one section', '# A\nx\n# B\nx\n', at('delete', 'x', undefined, within('B')), '# A\nx\n# B\n\n'],
    ['the second of a text', 'x x', { op: 'replace', target: { text: 'x', nth: 2 }, content: 'y' }, 'x y'],
    ['under a heading as plain text', '## *a* `b`\n', at('append', ['a b'], 'x', { join: 'line' }), '## *a* `b`\nx\n'],
    ['under another normal form', '# \u00e9\n', at('append', ['e\u0301'], 'x', { join: 'line' }), '# \u00e9\nx\n'],
    ['past headings in code, quotes and lists', HIDDEN, at('append', ['B'], 'x', { join: 'line' }), `${HIDDEN}x\n`],
    ['headings that were missing', PLAN, at('append', ['P', 'W', 'Z'], '- x', LINE), `${PLAN}\n## W\n\n### Z\n- x\n`],
    [
      'one that was missing, in the midst',
      '# A\n# B\n',
      at('replace', ['A', 'C'], 'x', NEW),
      '# A\n\n## C\n\nx\n\n# B\n',
    ],
    ['a heading that was missing everywhere', '', at('append', ['Log'], 'x', NEW), '# Log\n\nx'],
    ['another text of a heading', 'x\n\nA\n=\n', at('rename', ['A'], ' *C* '), 'x\n\n# *C*\n'],
    ['at the end of a block', 'a\nb ^x\n\nc', onBlock('append', '^X', ' more\n'), 'a\nb more ^x\n\nc'],
    ['at the start of a list item', '- [ ] a ^x\n- b', onBlock('prepend', '^x', 'now '), '- [ ] now a ^x\n- b'],
    ['a whole item', '> 1. a ^x\r\n> 2. b', onBlock('replace', '^x', 'c\nd ^x'), '> 1. c\r\n>    d ^x\r\n> 2. b'],
    ['an item away with its own', '- a\n- b ^x\n  - c\n\n  d\n- e\n', onBlock('delete', '^x'), '- a\n- e\n'],
    ['an item of a loose list away', '- a\n\n- b ^x\n\n- c\n', onBlock('delete', '^x'), '- a\n\n- c\n'],
    ['a paragraph away', 'a\r\n\r\nb ^x\r\n\r\nc', onBlock('delete', '^x'), 'a\r\n\r\nc'],
    ['what is above an id alone', '+ 0\n- a\n\n- b\n\n^x\n\nc', onBlock('replace', '^x', '- z'), '+ 0\n- z\n\n^x\n\nc'],
    ['code above an id away', 'a\n\n```\nb\n```\n^x\n', onBlock('delete', '^x'), 'a\n\n'],
    [
      'the second of a block',
      'a ^x\n\nb ^x',
      made({ ...onBlock('delete', '^x'), target: { block: '^x', nth: 2 } }),
      'a ^x\n\n',
    ],
  ])('puts %s', (_, body, edit, expected) => {
    expect(applyEdits(body, [edit])).toBe(expected)
  })

  test.each([
    '*a* _b_',
    '#1 [x]',
    '<b> &amp;',
    'a\\b `c`',
    '[[Trip]]',
    '1. x',
    '%% y',
    '# z',
    'x #',
    'a #b',
    'ä: -',
    '~~x~~ | y',
    '$1 = ^2',
  ])('that creates the heading %j finds it the next time', (text) => {
    const edit: BodyEdit = at('append', [text], 'x', LINE)
    const body = applyEdits('[x]: /y\n\ntext', [edit, edit])
    expect(listSections(body).map(getHeadingPath)).toEqual([[text]])
    expect(body).toEndWith('\nx\nx')
  })

  test.each<[string, string, BodyEdit, string]>([
    ['a heading below level 6', '###### F\n', at('append', ['F', 'G'], '', NEW), '/edits/0/target/heading'],
    ['a blank heading', '', at('append', [' '], '', NEW), '/edits/0/target/heading'],
    ['a heading behind an open fence', '```\n', at('append', ['A'], '', NEW), '/edits/0/target/heading'],
    ['no content', '', at('append', null), '/edits/0/content'],
    ['content for a deletion', 'x', at('delete', 'x', ''), '/edits/0/content'],
    ['a text to append to', 'x', at('append', 'x', 'y'), '/edits/0/op'],
    ['a document to delete', 'x', at('delete', null), '/edits/0/op'],
    ['a join for text', 'x', at('replace', 'x', 'y', { join: 'line' }), '/edits/0/join'],
    ['to create a heading before itself', 'x', at('insert_before', ['A'], 'y', NEW), '/edits/0/create_missing'],
    ['a join for a block', 'a ^x', onBlock('append', '^x', 'b', { join: 'line' }), '/edits/0/join'],
    ['to insert before a block', 'a ^x', onBlock('insert_before', '^x', 'b'), '/edits/0/op'],
    ['to create a block', 'a', onBlock('append', '^x', 'b', NEW), '/edits/0/create_missing'],
    ['what takes the id away', 'a ^x', onBlock('replace', '^x', 'b\n\nc'), '/edits/0/content'],
    ['nothing in place of a block', 'b\n\n- a ^x', onBlock('replace', '^x', ''), '/edits/0/content'],
    ['a number for a text', 'x', made({ op: 'replace', target: { text: 'x' }, content: 1 }), '/edits/0/content'],
    ['to create a text', 'x', at('replace', 'z', 'y', NEW), '/edits/0/create_missing'],
  ])('refuses %s', (_, body, edit, pointer) => {
    expect(refusal(body, edit)).toMatchObject({ code: 'invalid_request', extra: { errors: [{ pointer }] } })
  })
})

const TWICE = '# Plan\n\n## Week 1\n\ntext\n\ntext\n\n### Notes\n\n- a\n\n## Week 2\n\ntext\n\n### Notes\n\n- b\n'

describe('candidates', () => {
  test('of a missing heading hold the nearest, in body order', () => {
    const body = `# zz\n\n${Array.from({ length: 30 }, (_, i) => `# qq${i}\n\n`).join('')}# Budgets\n\n# Budge\n`
    const { code, extra } = refusal(body, { op: 'append', target: { heading: ['Budget'] }, content: 'x' })
    const paths = (extra.candidates as { path: string[]; line: number }[]).map(({ path: [only] }) => only)
    expect([code, paths.length, paths.slice(-2)]).toEqual(['edit_target_missing', 20, ['Budgets', 'Budge']])
  })

  test('of a missing text are where it stands outside of its heading', () => {
    const { code, extra } = refusal('x\n\n# A\n', { op: 'delete', target: { text: 'x', within: ['A'] } })
    expect([code, extra.candidates]).toEqual(['edit_target_missing', [{ path: [], line: 1, target: { text: 'x' } }]])
  })

  test.each<[string, 'ambiguous' | 'missing', object[]]>([
    [
      '^x',
      'ambiguous',
      [
        { path: ['A'], line: 3, target: { block: '^x', nth: 1 } },
        { path: ['B'], line: 7, target: { block: '^x', nth: 2 } },
      ],
    ],
    [
      '^yyz',
      'missing',
      [
        { path: [], line: 1, target: { block: '^yy' } },
        { path: ['A'], line: 3, target: { block: '^x', nth: 1 } },
        { path: ['B'], line: 7, target: { block: '^x', nth: 2 } },
      ],
    ],
  ])('of the block %s are %s ones', (block, kind, candidates) => {
    const { code, extra } = refusal('- c ^yy\n# A\na ^X\n\n`x ^y` ^\n# B\nb\\ ^x\n\n^', onBlock('delete', block))
    expect([code, extra.candidates]).toEqual([`edit_target_${kind}`, candidates])
  })

  test('keep the scope that was asked for', () => {
    const { extra } = refusal(TWICE, { op: 'delete', target: { heading: ['Notes'], scope: 'own' } })
    expect(extra.candidates).toMatchObject([{ target: { scope: 'own' } }, { target: { scope: 'own' } }])
  })

  test('point at the edit that failed', () => {
    const fine: BodyEdit = { op: 'append', target: { document: true }, content: 'x' }
    const { extra } = refusal(TWICE, fine, fine, { op: 'delete', target: { text: 'nowhere' } })
    expect(extra.errors).toMatchObject([{ pointer: '/edits/2/target', code: 'edit_target_missing' }])
  })

  test('sent back mean each its own place, in random notes', () => {
    let several = 0
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), fc.oneof(onHeading, creating, deleting, onText), (lines, edit) => {
        const body = lines.join('\n')
        let candidates: { line: number; target: BodyEdit['target'] }[] = []
        try {
          applyEdits(body, [edit])
          return
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          candidates = (error.extra.candidates ?? []) as typeof candidates
        }
        several += candidates.length > 1 ? 1 : 0
        if (edit.create_missing) {
          for (const { target } of candidates)
            expect(applyEdits(body, [{ ...edit, target, content: 'MARK' }])).toContain('MARK')
          return
        }
        const mark = (target: BodyEdit['target']) =>
          applyEdits(body, [{ op: 'insert_before', target, content: 'MARK' }])
        const results = candidates.map(({ target }) => mark(target))
        expect(new Set(results).size).toBe(candidates.length)
        if ('heading' in edit.target) return
        for (const [i, result] of results.entries())
          expect(result.split('\n')[(candidates[i]?.line ?? 0) - 1]).toContain('MARK')
      }),
      { numRuns: 1000 },
    )
    expect(several).toBeGreaterThan(100)
  })
})

test('edits of blocks in random notes change nothing else, and leave no other block without its id', () => {
  const lines = [
    '',
    '',
    'a',
    'b ^x',
    '- c',
    '- d ^y',
    '  - e ^x',
    '  f ^z',
    '> g ^y',
    '^x',
    '^z',
    '# H',
    '```',
    '\t1. i ^z',
  ]
  let edited = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...lines), { maxLength: 12 }), fc.nat(), (written, pick) => {
      const body = written.join('\n')
      const blocks = listBlocks(body)
      const block = blocks[pick % Math.max(1, blocks.length)]
      if (!block) return
      const nth = blocks.filter(({ id }) => id === block.id).indexOf(block) + 1
      const edit = (op: BodyEdit['op'], content?: string) =>
        applyEdits(body, [made({ op, target: { block: `^${block.id}`, nth }, content })])
      expect(edit('append', ' END')).toBe(`${body.slice(0, block.end)} END${body.slice(block.end)}`)
      const cut = edit('delete')
      expect(commonLength(body, cut) + commonLength(reversed(body), reversed(cut))).toBeGreaterThanOrEqual(cut.length)
      expect(cut.length).toBeLessThanOrEqual(body.length - (block.end - block.start))
      edited += 1
    }),
    { numRuns: runs(1000) },
  )
  expect(edited).toBeGreaterThan(runs(1000) / 2)
})

test('occurrences of a text are all of them, overlaps too', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 }), text, (body, text) => {
      const naive = [...body].flatMap((_, at) => (body.startsWith(text, at) ? [at] : []))
      expect(findOccurrences(body, text)).toEqual(naive)
    }),
    { numRuns: runs(500) },
  )
})

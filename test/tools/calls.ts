import fc from 'fast-check'
import type { Tool } from '../../src/tools/tool'
import { type Caller, ok } from './support'

/** Calls of tools as models make them, right and wrong. */

const strange = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '"',
    '\\',
    '(',
    '))',
    '-',
    '*',
    'tag:',
    '#x',
    '@',
    '/',
    '2026-02-30',
    'a'.repeat(600),
  ),
)

const edit = fc.record(
  {
    op: fc.constantFrom('append', 'prepend', 'replace', 'delete', 'insert_before', 'insert_after'),
    heading: fc.constantFrom(['H'], ['H', 'X'], []),
    text: fc.constantFrom('a?', 'b', '\u0001', ''),
    nth: fc.integer({ min: 0, max: 2 }),
    scope: fc.constantFrom('section', 'own'),
    content: fc.oneof(strange, fc.constant('# New\n')),
    join: fc.constantFrom('block', 'line', 'none'),
    create_missing: fc.boolean(),
  },
  { requiredKeys: ['op'] },
)

/** Arguments that are nearly right: each member is missing, strange, or of the right kind. */
function nearly(tool: Tool, ids: readonly string[]): fc.Arbitrary<unknown> {
  const members = Object.keys(tool.input.properties ?? {})
  const value = fc.oneof(strange, fc.integer({ min: -1, max: 30 }), fc.boolean(), fc.constant(null), fc.jsonValue())
  const likely: Record<string, fc.Arbitrary<unknown>> = {
    id: fc.constantFrom(...ids),
    query: fc.oneof(strange, fc.constantFrom('front', 'a x', 'xx OR "')),
    filter: fc.oneof(strange, fc.constantFrom('p1', 'today or', 'has:due', '"x"')),
    deck: fc.oneof(strange, fc.constantFrom(...ids, 'Deck')),
    types: fc.subarray(['note', 'task', 'fact']),
    type: fc.constantFrom('note', 'task', 'fact', 'deck'),
    when: fc.constantFrom('today', 'overdue', 'week', 'all'),
    limit: fc.integer({ min: 1, max: 20 }),
    text: fc.oneof(strange, fc.constantFrom('Call today', 'a\nb every day', '@x\n!2')),
    rating: fc.constantFrom('again', 'hard', 'good', 'easy', 1, 4, 5),
    since: fc.constantFrom('0', '3', '99', '1-2', ids[0] ?? ''),
    ids: fc.subarray([...ids]),
    days: fc.integer({ min: 1, max: 31 }),
    revision: fc.integer({ min: 1, max: 3 }),
    if_revision: fc.constantFrom(1, 2),
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    sentences: fc.integer({ min: 1, max: 10 }),
    from: fc.nat(),
    done: fc.boolean(),
    heading: fc.constantFrom('H', 'Nowhere'),
    title: fc.oneof(strange, fc.constantFrom('Q', 'q', 'x'.repeat(500))),
    priority: fc.integer({ min: 0, max: 4 }),
    due: fc.constantFrom('2026-02-30', '2026-03-05', '9999-12-31T09:00'),
    tags: fc.array(strange, { maxLength: 3 }),
    labels: fc.array(strange, { maxLength: 3 }),
    cards: fc.array(fc.record({ front: strange, back: strange, text: strange }, { requiredKeys: [] }), {
      maxLength: 3,
    }),
  }
  const of = (member: string) =>
    fc.oneof({ weight: 20, arbitrary: likely[member] ?? strange }, { weight: 1, arbitrary: value })
  const all = Object.fromEntries(members.map((member) => [member, of(member)]))
  // Many tools want one of two, or no others beside one.
  const some = fc.subarray(members, { minLength: 1, maxLength: Math.min(3, members.length) })
  return some.chain((optional) => {
    const kept = new Set([...optional, ...(tool.input.required ?? [])])
    return fc.record(Object.fromEntries(Object.entries(all).filter(([member]) => kept.has(member))))
  })
}

/** Calls of any of some tools, with arguments that are nearly right, or anything. */
export const callsOf = (catalogue: readonly Tool[], ids: readonly string[] = ['']) =>
  fc.constantFrom(...catalogue).chain((tool) =>
    fc.record({
      name: fc.constant(tool.name),
      args: fc.oneof({ weight: 8, arbitrary: nearly(tool, ids) }, fc.anything(), fc.jsonValue()),
    }),
  )

/** Makes notes, a task and cards with hostile contents; returns their ids. */
export async function makeThings(me: Caller): Promise<string[]> {
  const made = [
    await me.call('create_note', { title: 'x'.repeat(500), body: '\u0001'.repeat(9000), tags: ['a'] }),
    await me.call('create_note', { title: 'Q', body: '# H\n\nQ: a?\nA: b\n' }),
    await me.call('create_task', { title: 'x'.repeat(500), labels: ['a'.repeat(100)] }),
    await me.call('create_task', { text: 'Water the plants every day' }),
    await me.call('create_cards', { deck: 'Deck', cards: [{ front: 'front '.repeat(800), back: 'b' }] }),
  ]
  const ids = made.flatMap(({ action, result }) => [
    String(action?.target?.id),
    ...((result.items as { id: string }[] | undefined) ?? []).map(({ id }) => id),
  ])
  const { items } = ok(await me.call('list_due_cards', {})).result as { items: { id: string }[] }
  return [...ids, ...items.map(({ id }) => id)]
}

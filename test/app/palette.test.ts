/** What the palette finds at once in the copy, and what the server's search adds. */
import { describe, expect, test } from 'bun:test'
import type { SearchResult, Task } from '../../app/api/types'

// The address of the page is read when the module is loaded.
Object.assign(globalThis, { location: { hash: '' } })
const { addFound, findLocal } = await import('../../app/shell/find')
const { latinKey } = await import('../../app/shell/keyboard')
// Other files of this process are in no page.
Reflect.deleteProperty(globalThis, 'location')

const TODAY = '2026-03-02'
const byId = <Item extends { readonly id: string }>(...items: Item[]) => new Map(items.map((one) => [one.id, one]))
const task = (id: string, title: string, more: Partial<Task> = {}) => ({
  ...{ id, title, status: 'open' as const, due: null },
  ...more,
})
const COPY = {
  note: byId({ id: 'n1', title: 'Rental contract' }, { id: 'n2', title: 'Parental leave' }),
  task: byId(
    task('t1', 'Rent a van', { due: { date: '2026-03-03', time: '09:00', time_zone: null } }),
    task('t2', 'Pay rent', { status: 'done' }),
    task('t3', 'Rent bikes', { status: 'cancelled' }),
  ),
  task_project: byId({ id: 'p1', name: 'Rent and bills' }),
  task_filter: byId({ id: 'f1', name: 'Overdue rent' }),
  conversations: [{ id: 'c1', title: 'Rent due when?' }],
}
const ACTIONS = [{ title: 'Go to notes', run: () => {} }]

const found = (title: string, more: object = {}) =>
  ({
    ...{ id: title, title, url: '', revision: 1, updated_at: '', tags: [], words: 1, snippets: [] },
    ...{ type: 'note', folder: null, excerpt: '' },
    ...more,
  }) as SearchResult

const shown = (entries: readonly { title: string; detail?: string }[]) =>
  entries.map(({ title, detail = '' }) => `${title} (${detail})`)

describe('in the copy', () => {
  test('projects, filters, notes, tasks and conversations are found by their titles, what is closed after the rest', () => {
    expect(shown(findLocal('rent', ACTIONS, COPY, TODAY))).toEqual([
      'Rent and bills (Project)',
      'Rental contract (Note)',
      'Rent a van (Task · Tomorrow)',
      'Rent due when? (Conversation)',
      'Rent bikes (Task · cancelled)',
      'Overdue rent (Filter)',
      'Pay rent (Task · done)',
      'Parental leave (Note)',
    ])
  })

  test('actions are, too, and all of them before anything is typed', () => {
    expect(shown(findLocal('to notes', ACTIONS, COPY, TODAY))).toEqual(['Go to notes ()'])
    expect(shown(findLocal(' ', ACTIONS, COPY, TODAY))).toEqual(['Go to notes ()'])
    expect(findLocal('nowhere', ACTIONS, COPY, TODAY)).toEqual([])
  })
})

describe('what the server found', () => {
  const local = findLocal('rent', ACTIONS, COPY, TODAY)

  test('comes after the rows that are shown, each once', () => {
    const card = { type: 'fact', deck: { id: 'd1', name: 'Law' }, cards: [] }
    const all = addFound(local, [found('Rental contract', { id: 'n1' }), found('What is rent?', card)], TODAY)
    expect(all.slice(0, local.length)).toEqual(local)
    expect(shown(all.slice(local.length))).toEqual(['What is rent? (Card · Law)'])
    expect(all.at(-1)?.address).toBe('#/study/deck/d1?fact=What+is+rent%3F')
  })

  test('is left out where it has fewer of the words than the best', () => {
    const all = addFound([], [found('Both words', { words: 2 }), found('One word', { words: 1 })], TODAY)
    expect(shown(all)).toEqual(['Both words (Note)'])
  })
})

test.each([
  ['й', 'KeyQ', 'q'],
  ['К', 'KeyR', 'R'],
  ['ν', 'KeyN', 'n'],
  [';', 'KeyQ', 'q'],
  ['/', 'KeyQ', 'q'],
  ['ל', 'KeyK', 'k'],
  ['/', 'Slash', '/'],
  ['a', 'KeyQ', 'a'],
  ['é', 'KeyW', 'é'],
  [',', 'KeyM', ','],
  [';', 'KeyZ', ';'],
  ['Enter', 'Enter', 'Enter'],
  ['Process', 'KeyK', 'Process'],
])('the key %p at %s is %p, on whichever keyboard', (key, code, latin) => {
  expect(latinKey({ key, code, shiftKey: key !== key.toLowerCase() && key.length === 1 })).toBe(latin)
})

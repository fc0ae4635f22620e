/** What a copy has after answers of the server that arrive in another order than they were given. */
import { describe, expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { type Confirmed, createCopy } from '../../app/data/copy'
import type { Store } from '../../app/data/database'
import type { Copied } from '../../app/data/resources'
import type { ResourceWrite } from '../../app/data/writes'

/** A copy in memory, whose clock says what it is told. */
function makeCopy() {
  const clock = { now: 1000 }
  const store = { fault: signal(null), use: async () => null } as unknown as Store
  const told: Confirmed[][] = []
  const copy = createCopy(
    store,
    (resources) => told.push([...resources]),
    () => clock.now,
  )
  return { copy, clock, told, shown: () => copy.shown.task.value.get('t')?.revision ?? null }
}

const task = (revision: number) => ({ type: 'task', id: 't', resource: { id: 't', revision } as Copied }) as const
const gone = { type: 'task', id: 't', resource: null } as const
/** As a page of the feed has it. */
const fed = (of: Confirmed, revision: number, seq: number, askedAt: number, at: number): Confirmed => ({
  ...of,
  version: { revision, seq, askedAt, at },
})

describe('what is older is not taken over', () => {
  test('a page that was asked for before the answer to a write came', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([task(5)])
    await copy.confirm([fed(task(4), 4, 40, 900, 1100)])
    expect(shown()).toBe(5)
  })
  test('the answer to a write after a page that has the deletion', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([fed(gone, 2, 40, 900, 950)])
    await copy.confirm([task(1)])
    expect(shown()).toBeNull()
  })
  test('a page of another tab that has less of the feed', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([fed(task(5), 5, 50, 900, 1000)])
    await copy.receive([fed(task(4), 4, 40, 890, 1100)])
    expect(shown()).toBe(5)
  })
  test('a page that has what was deleted by a write since it was asked for', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([task(1)])
    await copy.confirm([gone])
    await copy.confirm([fed(task(1), 1, 40, 900, 1100)])
    expect(shown()).toBeNull()
  })
  test('nor told to other tabs', async () => {
    const { copy, told } = makeCopy()
    await copy.confirm([task(5)])
    await copy.confirm([task(4)])
    expect(told.map(({ length }) => length)).toEqual([1, 0])
  })
})

describe('what is newer is taken over', () => {
  test('a page that was asked for before another answer, and has a later change', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([task(4)])
    await copy.confirm([fed(task(5), 5, 50, 900, 1100)])
    expect(shown()).toBe(5)
  })
  test('what was restored after it was deleted', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([fed(gone, 2, 40, 900, 950)])
    await copy.confirm([task(3)])
    expect(shown()).toBe(3)
  })
  test('what was made anew under the id of what was erased, with a first revision', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([fed(task(5), 5, 50, 900, 950)])
    await copy.confirm([fed(task(1), 1, 70, 1100, 1200)])
    expect(shown()).toBe(1)
  })
  test('what a server has that was set back to a backup', async () => {
    const { copy, shown } = makeCopy()
    await copy.confirm([fed(task(5), 5, 50, 900, 950)])
    await copy.receive([fed(task(2), 2, 20, 1100, 1200)])
    expect(shown()).toBe(2)
  })
  test('the same revision, of which other members were computed since', async () => {
    const { copy, told } = makeCopy()
    await copy.confirm([task(5)])
    await copy.confirm([fed(task(5), 5, 50, 900, 1100)])
    expect(told.map(({ length }) => length)).toEqual([1, 1])
  })
})

test('a deletion is a revision of its own', async () => {
  const { copy } = makeCopy()
  await copy.confirm([task(4)])
  await copy.confirm([gone])
  expect(copy.revisionOf('task', 't')).toBe(5)
})

test('a second deletion counts no revision: what is restored after it is newer', async () => {
  const { copy, shown } = makeCopy()
  await copy.confirm([fed(gone, 5, 50, 900, 950)])
  for (let times = 0; times < 2; times++) await copy.confirm([gone])
  expect(copy.revisionOf('task', 't')).toBe(5)
  await copy.confirm([task(6)])
  expect(shown()).toBe(6)
})

/** A write of a note whose text was made of another one; `tab` and `seq` say which. */
const write = (tab: string, seq: number, base: string, body: string, title?: string): ResourceWrite => ({
  type: 'note',
  tab,
  seq,
  at: seq,
  base: { body: base },
  op: { op: 'update', id: 'n', data: { body, ...(title !== undefined && { title }) } },
})
/** What the server has of the note. */
const note = (revision: number, body: string, title = 'Porto'): Confirmed => ({
  type: 'note',
  id: 'n',
  resource: { id: 'n', revision, title, tags: [] as string[] } as Copied,
  body: { id: 'n', revision, body },
})

/** A copy where `One two` was typed in this tab on the `One` that another tab has not sent, and is at the server. */
async function copyOfTwoTabs() {
  const { copy } = makeCopy()
  const [others, own] = [write('other', 1, '', 'One', 'Lisbon'), write('own', 2, 'One', 'One two')]
  await copy.confirm([note(1, '')])
  copy.showOther('other', [others])
  copy.addPending([own])
  expect(copy.pendingBody('n')?.body).toBe('One two')
  await copy.confirm([note(2, 'One two')])
  copy.removePending([own])
  return { copy, others }
}

describe('a text that the text of the server was made of is not shown', () => {
  test('while another tab still has to send it, whose other changes are', async () => {
    const { copy } = await copyOfTwoTabs()
    expect(copy.pendingBody('n')).toBeUndefined()
    expect(copy.shown.note.value.get('n')?.title).toBe('Lisbon')
  })
  test('when the other tab tells of it again', async () => {
    const { copy, others } = await copyOfTwoTabs()
    copy.showOther('other', [{ ...others, batch: 'sent' }])
    expect(copy.pendingBody('n')).toBeUndefined()
  })
  test('when it is taken up of a tab that was closed', async () => {
    const { copy, others } = await copyOfTwoTabs()
    copy.showOther('other', [])
    copy.addPending([{ ...others, tab: 'own', seq: 3 }], true)
    expect(copy.pendingBody('n')).toBeUndefined()
  })
  test('after another device has changed the note as well', async () => {
    const { copy } = await copyOfTwoTabs()
    await copy.receive([note(3, 'One two three')])
    expect(copy.pendingBody('n')).toBeUndefined()
  })
})

describe('a text that was typed is shown', () => {
  test('if it was typed on the text of the server', async () => {
    const { copy } = await copyOfTwoTabs()
    copy.addPending([write('own', 3, 'One two', 'One two three')])
    expect(copy.pendingBody('n')?.body).toBe('One two three')
  })
  test('if it is what was there before, typed back', async () => {
    const { copy } = await copyOfTwoTabs()
    copy.addPending([write('own', 3, 'One two', 'One')])
    expect(copy.pendingBody('n')?.body).toBe('One')
  })
  test('if it is what was there before, typed back while what was typed next is on its way', async () => {
    const { copy } = await copyOfTwoTabs()
    copy.showOther('other', [])
    copy.addPending([write('own', 3, 'One two', 'One two three'), write('own', 4, 'One two three', '')])
    expect(copy.pendingBody('n')?.body).toBe('')
  })
  test('if it was typed in another place', async () => {
    const { copy } = await copyOfTwoTabs()
    copy.showOther('other', [write('other', 3, 'One', 'One and more')])
    expect(copy.pendingBody('n')?.body).toBe('One and more')
  })
})

test('what a closed tab has left is shown below what was typed here after it, and above what was before', () => {
  const { copy } = makeCopy()
  copy.addPending([write('own', 2, '', 'Two')])
  copy.addPending([{ ...write('own', 3, '', 'One'), at: 1 }], true)
  expect(copy.pendingBody('n')?.body).toBe('Two')
  copy.addPending([{ ...write('own', 4, '', 'Three'), at: 3 }], true)
  expect(copy.pendingBody('n')?.body).toBe('Three')
})

/** A copy where three words were typed in turn, here and in another tab, and none is sent. */
async function copyOfThreeWords() {
  const { copy } = makeCopy()
  await copy.confirm([note(1, 'None')])
  copy.addPending([write('own', 1, 'None', 'One')])
  copy.showOther('other', [write('other', 2, 'One', 'One two')])
  const last = write('own', 3, 'One two', 'One two three')
  copy.addPending([last])
  return { copy, last }
}

describe('a text has all of the one that the server has', () => {
  test.each(['None', 'One', 'One two'])('if it was made of that, which is %s', async (there) => {
    const { copy, last } = await copyOfThreeWords()
    await copy.confirm([note(2, there)])
    expect(copy.isMadeOf(last, there)).toBe(true)
  })
  test('if it was merged with that, which is of a step before', async () => {
    const { copy, last } = await copyOfThreeWords()
    const merged = { ...last, base: { body: 'One' } }
    copy.addPending([merged])
    await copy.confirm([note(2, 'One two')])
    expect(copy.isMadeOf(merged, 'One two')).toBe(true)
  })
})

describe('a text has not all of the one that the server has', () => {
  test('if that was typed elsewhere', async () => {
    const { copy, last } = await copyOfThreeWords()
    await copy.confirm([note(2, 'None of them')])
    expect(copy.isMadeOf(last, 'None of them')).toBe(false)
  })
  test('if the server has had one in between, which was taken back elsewhere', async () => {
    const { copy, last } = await copyOfThreeWords()
    await copy.confirm([note(2, 'One two')])
    await copy.confirm([note(3, 'One')])
    expect(copy.isMadeOf(last, 'One')).toBe(false)
  })
  test('if that was made of it', async () => {
    const { copy } = await copyOfThreeWords()
    await copy.confirm([note(2, 'One two three')])
    expect(copy.isMadeOf(write('own', 1, 'None', 'One'), 'One two three')).toBe(false)
  })
})

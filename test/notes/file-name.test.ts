import { afterAll, describe, expect, test } from 'bun:test'
import { bodyOf, mover, type Vault } from '../support/vault'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { readerOf } from './support'

const world = await makeWorld({ settings: MANY_CALLERS })
const base = world.listen()
afterAll(world.close)

let keys = 0

function stranger() {
  const as = { key: makeKey(++keys) }
  const me = readerOf(world, as)
  const note = async (sent: object): Promise<string> => (await me.call('POST', '', sent)).body.id
  return { ...mover(world, base, as), ...me, note }
}

const VAULT: Vault = {
  'start.md': '[[2026-budget]] [[Money/2026-budget.md|money]] [[2026-BUDGET.md#May]] [[Trip]] [[a/Same.md]] [[b/same]]',
  'Money/2026-budget.md': '---\ntitle: The budget\n---\n# May\n[[start]] [[The budget]]',
  'Trip.md': '---\ntitle: Lisbon\n---\n# Lisbon',
  'a/Same.md': '[[Same]] [[Same.md]]',
  'b/Same.md': '---\ntitle: Trip\n---\n[[Same]] [[start]]',
  'Ordinary.md': 'Its title is its name.',
}

describe('a vault whose titles differ from its file names', () => {
  test('is linked by the names of its files, before any title', async () => {
    const me = stranger()
    const report = await me.moveIn(VAULT)
    expect(report.totals).toMatchObject({ created: Object.keys(VAULT).length, failed: 0 })
    const [start, budget, trip, a, b] = await Promise.all(
      ['start', 'Money/2026-budget', 'Trip.md', 'a/Same', 'b/Same'].map(me.at),
    )
    expect([budget.title, budget.file_name, trip.title, b.title, b.file_name]).toEqual([
      'The budget',
      '2026-budget.md',
      'Lisbon',
      'Trip',
      'Same.md',
    ])
    expect(await me.targets(start.id)).toEqual([budget.id, budget.id, budget.id, trip.id, a.id, b.id])
    expect(await me.targets(a.id)).toEqual([a.id, a.id])
    expect(await me.targets(b.id)).toEqual([b.id, start.id])
    expect(await me.targets(budget.id)).toEqual([start.id, budget.id])
    expect((await me.call('GET', '/unresolved')).body.items).toEqual([])
  })

  test('is linked as Obsidian does: a file in the root by its name alone before one in the folder of the link', async () => {
    const me = stranger()
    await me.moveIn({
      'Same.md': 'x',
      'a/Same.md': 'x',
      'a/start.md': '[[Same]] [[a/Same]] [[/Same]]',
      'b/Other.md': '',
    })
    const [root, inA, start] = [await me.at('Same'), await me.at('a/Same'), await me.at('a/start')]
    expect(await me.targets(start.id)).toEqual([root.id, inA.id, root.id])
    await me.patch(root.id, { title: 'Other' })
    expect((await me.get(start.id)).body).toBe('[[Other]] [[a/Same]] [[/Other]]')
    await me.patch(root.id, { folder: 'b', title: 'Else' })
    expect((await me.get(start.id)).body).toBe('[[b/Else]] [[a/Same]] [[/b/Else]]')
    expect(await me.targets(start.id)).toEqual([root.id, inA.id, root.id])
  })

  test('comes out with the same files and the same bodies, and into another workspace as the same notes', async () => {
    const [me, other] = [stranger(), stranger()]
    await me.moveIn(VAULT)
    const out = await me.moveOut()
    expect(Object.keys(out).toSorted()).toEqual(Object.keys(VAULT).toSorted())
    for (const [path, text] of Object.entries(out))
      expect([path, bodyOf(text)]).toEqual([path, bodyOf(VAULT[path] ?? '')])
    expect((await other.moveIn(out)).totals).toMatchObject({ created: Object.keys(VAULT).length, failed: 0 })
    expect(await other.moveOut()).toEqual(out)
    expect((await me.moveIn(VAULT)).totals).toMatchObject({ unchanged: Object.keys(VAULT).length })
  })

  test('keeps names that other systems forbid, in either form of an accent, and up to 255 bytes', async () => {
    const me = stranger()
    const names = ['What?.md', '"so" <it> * goes.md', 'U\u0308ber.md', '\u00dcber 2.md', 'README.MD', 'x.markdown']
    names.push(`${'é'.repeat(125)}12.md`)
    await me.moveIn(Object.fromEntries(names.map((name) => [`e\u0301/${name}`, 'text'])))
    expect(Object.keys(await me.moveOut()).toSorted()).toEqual(names.map((name) => `e\u0301/${name}`).toSorted())
  })

  test('has unsafe names made safe, and says so', async () => {
    const me = stranger()
    const report = await me.moveIn({
      'a\u202egpj.md': 'x',
      'con.md': 'x',
      'ab:c.md': 'x',
      [`${'x'.repeat(400)}.md`]: 'x',
    })
    const codes = report.items.map(({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code))
    expect(codes).toEqual([['file_name_changed'], ['file_name_changed'], ['file_name_changed'], ['file_name_changed']])
    expect(Object.keys(await me.moveOut()).toSorted()).toEqual(
      ['a-gpj.md', 'ab-c.md', 'con_.md', `${'x'.repeat(252)}.md`].toSorted(),
    )
  })
})

describe('a file name', () => {
  test('is null at first, can be set and taken away, and makes revisions', async () => {
    const me = stranger()
    const id = await me.note({ title: 'Trip' })
    expect((await me.get(id)).file_name).toBeNull()
    const set = await me.patch(id, { file_name: 'lisbon.md' })
    expect([set.status, set.body.file_name, set.body.revision]).toEqual([200, 'lisbon.md', 2])
    expect((await me.patch(id, { file_name: 'lisbon.md' })).body.revision).toBe(2)
    expect(Object.keys(await me.moveOut())).toEqual(['lisbon.md'])
    expect((await me.patch(id, { file_name: null })).body.file_name).toBeNull()
    const made = await me.call('POST', '', { title: 'Other', file_name: 'x.markdown' })
    expect([made.status, made.body.file_name]).toEqual([201, 'x.markdown'])
  })

  test.each([
    ...['', '.md', 'Trip', 'Trip.txt', '../Trip.md', 'a/b.md', 'a\\b.md', 'a:b.md', ' Trip.md', '.Trip.md', '..md'],
    ...['nul.md', 'COM1.x.md', 'a\0.md', 'a\n.md', 'a\u202eb.md', 'a\u200f.md', `${'x'.repeat(253)}.md`],
  ])('%j is refused, and nothing is changed', async (file_name) => {
    const me = stranger()
    const id = await me.note({ title: 'Trip' })
    const { status, body } = await me.patch(id, { file_name, title: 'Tour' })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(await me.get(id)).toMatchObject({ title: 'Trip', file_name: null, revision: 1 })
  })

  test.each(['Trip.md', 'a.b.md', 'What? "now" <x>|*.md', 'nullable.md', 'con man.md', `${'x'.repeat(252)}.md`])(
    '%j is taken',
    async (file_name) => {
      expect((await stranger().call('POST', '', { file_name })).status).toBe(201)
    },
  )

  test('counts towards the bytes of the workspace', async () => {
    const me = stranger()
    const id = await me.note({ title: 'Trip', file_name: 'a.md' })
    const size = async () => (await world.call(me.as, 'GET', '/api/usage')).body.workspace.size_bytes
    const before = await size()
    // Not the title: the version before has no bytes of its own then.
    await me.patch(id, { file_name: 'abcdefg.md' })
    expect((await size()) - before).toBe(6)
  })
})

describe('a change of the file name', () => {
  test('rewrites the links by it, spelled as they were, and no link by the title', async () => {
    const me = stranger()
    const id = await me.note({ title: 'The budget', file_name: '2026.md', folder: 'Money' })
    const from = await me.note({
      title: 'B',
      body: '[[2026]] [[Money/2026|m]] [[2026.md#May]] [[The budget]] `[[2026]]`',
    })
    const { headers } = await me.patch(id, { file_name: '2027.md' })
    expect(headers.get('x-links-updated')).toBe('1')
    expect(await me.body(from)).toBe('[[2027]] [[Money/2027|m]] [[2027.md#May]] [[The budget]] `[[2026]]`')
    expect(await me.targets(from)).toEqual([id, id, id, id])
  })

  test('that sets the first one rewrites links by the title, and one that takes it away rewrites them back', async () => {
    const me = stranger()
    const id = await me.note({ title: 'Trip', folder: 'Work' })
    const from = await me.note({ title: 'B', body: '[[Trip]] [[Work/Trip]]' })
    await me.patch(id, { file_name: 'lisbon.md' })
    expect(await me.body(from)).toBe('[[lisbon]] [[Work/lisbon]]')
    await me.patch(id, { file_name: null })
    expect(await me.body(from)).toBe('[[Trip]] [[Work/Trip]]')
  })

  test('writes the path where the name alone would lead elsewhere', async () => {
    const me = stranger()
    const id = await me.note({ title: 'One', file_name: 'one.md', folder: 'a' })
    await me.note({ title: 'Two', file_name: 'two.md', folder: 'b' })
    const from = await me.note({ title: 'B', body: '[[one]]', folder: 'b' })
    await me.patch(id, { file_name: 'two.md' })
    expect([await me.body(from), await me.targets(from)]).toEqual(['[[a/two]]', [id]])
  })
})

describe('a file that comes to a name or a place where it would take a link from another', () => {
  test('leaves it to the other, by its path', async () => {
    const me = stranger()
    const far = await me.note({ file_name: 'Same.md', folder: 'a/deep' })
    const near = await me.note({ file_name: 'Other.md', folder: 'b' })
    const from = await me.note({ title: 'From', folder: 'b', body: '[[Same]] [x](Same.md) [[a/deep/Same]] [[Other]]' })
    const { headers } = await me.patch(near, { file_name: 'Same.md' })
    expect(await me.body(from)).toBe('[[a/deep/Same]] [x](a/deep/Same.md) [[a/deep/Same]] [[Same]]')
    expect([headers.get('x-links-updated'), await me.targets(from)]).toEqual(['1', [far, far, far, near]])
  })

  test('when a folder is moved as well', async () => {
    const me = stranger()
    const far = await me.note({ file_name: 'Same.md', folder: 'a/deep' })
    await me.note({ file_name: 'Same.md', folder: 'much/longer/path' })
    const from = await me.note({ title: 'From', body: '[[Same]]' })
    await me.call('POST', '/folders/rename', { from: 'much/longer/path', to: 'b' })
    expect([await me.body(from), await me.targets(from)]).toEqual(['[[a/deep/Same]]', [far]])
  })

  test('but not one that leads nowhere yet, nor does a note without a file name', async () => {
    const me = stranger()
    const trip = await me.note({ title: 'Trip', folder: 'a/deep' })
    const other = await me.note({ title: 'Other', folder: 'b' })
    const from = await me.note({ title: 'From', folder: 'b', body: '[[Trip]] [[New]]' })
    await me.patch(other, { title: 'Trip' })
    expect([await me.body(from), await me.targets(from)]).toEqual(['[[Trip]] [[New]]', [other, null]])
    await me.patch(trip, { file_name: 'New.md' })
    expect([await me.body(from), await me.targets(from)]).toEqual(['[[Trip]] [[New]]', [other, trip]])
  })
})

describe('a change of the title', () => {
  test('takes along a file name that is the title, as it does the links', async () => {
    const me = stranger()
    await me.moveIn({ 'Trip.md': 'x', 'B.md': '[[Trip]] [[trip.md]]' })
    const { id } = await me.at('Trip')
    expect((await me.patch(id, { title: 'To: Berlin? [a|b]' })).body.file_name).toBe('To- Berlin- -a-b-.md')
    expect((await me.at('B')).body).toBe('[[To- Berlin- -a-b-]] [[To- Berlin- -a-b-.md]]')
    // The name that was made of the title goes on with it.
    expect((await me.patch(id, { title: 'Tour' })).body.file_name).toBe('Tour.md')
    expect(Object.keys(await me.moveOut()).toSorted()).toEqual(['B.md', 'Tour.md'])
    expect((await me.call('POST', `/${id}/revisions/1/restore`)).body).toMatchObject({
      title: 'Trip',
      file_name: 'Trip.md',
    })
  })

  test('leaves any other file name and the links by it, and rewrites those by the title', async () => {
    const me = stranger()
    const id = await me.note({ title: 'The budget', file_name: 'budget.md' })
    const from = await me.note({ title: 'B', body: '[[budget]] [[The budget]] [[/the budget]]' })
    expect(await me.targets(from)).toEqual([id, id, id])
    expect((await me.patch(id, { title: 'All money' })).body.file_name).toBe('budget.md')
    expect(await me.body(from)).toBe('[[budget]] [[All money]] [[/budget]]')
  })

  test('with a file name beside it takes that', async () => {
    const me = stranger()
    const id = await me.note({ title: 'Trip', file_name: 'Trip.md' })
    expect((await me.patch(id, { title: 'Tour', file_name: 'Trip.md' })).body.file_name).toBe('Trip.md')
    expect((await me.patch(id, { title: 'Trip' })).body.file_name).toBe('Trip.md')
    expect((await me.patch(id, { title: 'Tour' })).body.file_name).toBe('Tour.md')
    expect((await me.patch(id, { title: 'X', file_name: null })).body.file_name).toBeNull()
  })
})

import { afterAll, describe, expect, test } from 'bun:test'
import { linksOf } from '../support/obsidian'
import { bodyOf, mover, type Vault } from '../support/vault'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { readerOf } from './support'

/** Links to notes whose files cannot have the names of the notes lead to the exported files. */

const world = await makeWorld({ settings: MANY_CALLERS })
const base = world.listen()
afterAll(world.close)

let keys = 0

function stranger() {
  const as = { key: makeKey(++keys) }
  const moving = mover(world, base, as)
  const me = readerOf(world, as)
  const idAt = async (path: string): Promise<string> => (await moving.at(path)).id
  return {
    ...moving,
    idAt,
    note: async (note: object): Promise<string> => (await me.call('POST', '', note)).body.id,
    move: async (path: string, patch: object) => expect((await me.patch(await idAt(path), patch)).status).toBe(200),
    /** What is in the notes that the links of a note lead to here. */
    ends: async (id: string): Promise<(string | null)[]> =>
      Promise.all((await me.targets(id)).map(async (to) => to && ((await me.body(to)).split('\n')[0] ?? null))),
  }
}

/** The first line of the file that each link leads to, as Obsidian reads it. */
const ends = (vault: Vault, path: string) =>
  linksOf(vault, path).map(({ leadsTo }) => (leadsTo === null ? null : bodyOf(vault[leadsTo] ?? '').split('\n')[0]))

const body = (vault: Vault, path: string) => bodyOf(vault[path] ?? '')

describe('an export of two notes with one path', () => {
  const VAULT: Vault = {
    'a/Same.md': 'the one of a',
    'b/Same.md': 'the one of b\n[[a/Same]]',
    'c/Same.md': 'the one of c',
    'start.md':
      '[[a/Same]] [[b/Same#Top]] ![[b/Same|shown]] `[[b/Same]]` [[a/Same.md]]\n\n| [[b/Same]] | x |\n|--|--|\n',
    'b/beside.md': '[[./Same]] [[Same]]',
  }
  const START = ['the one of a', 'the one of b', 'the one of b', 'the one of a', 'the one of b']

  test('has links that lead to the right one of them, in Obsidian and after an import', async () => {
    const [me, other] = [stranger(), stranger()]
    await me.moveIn(VAULT)
    await me.move('b/Same', { folder: 'a' })
    const out = await me.moveOut()
    expect(ends(out, 'start.md')).toEqual(START)
    expect(ends(out, 'b/beside.md')).toEqual(['the one of b', 'the one of b'])
    expect(ends(out, 'a/Same (2).md')).toEqual(['the one of a'])
    expect(body(out, 'start.md')).toBe(
      '[[a/Same]] [[a/Same (2)#Top|Same]] ![[a/Same (2)|shown]] `[[b/Same]]` [[a/Same.md]]\n\n| [[a/Same (2)\\|Same]] | x |\n|--|--|\n',
    )
    expect(JSON.stringify(out)).not.toContain('note:')
    expect((await other.moveIn(out)).totals).toMatchObject({ created: 5, failed: 0 })
    expect(new Set(await other.ends(await other.idAt('start')))).toEqual(new Set(START))
    expect(new Set(await other.ends(await other.idAt('b/beside')))).toEqual(new Set(['the one of b']))
    // What came in once comes out the same.
    const again = await other.moveOut()
    for (const path of Object.keys(out)) expect([path, body(again, path)]).toEqual([path, body(out, path)])
  })

  test('writes links by id as the path of their file, also to a note that keeps its name', async () => {
    const me = stranger()
    const [plain, deep, far] = [
      await me.note({ title: 'Plain', body: 'plain' }),
      await me.note({ title: 'Deep', folder: 'x/y', body: 'deep' }),
      await me.note({ title: 'Far', folder: 'far', body: 'far' }),
    ]
    await me.note({
      title: 'From',
      folder: 'x',
      body: `[[note:${plain}]] [[note:${deep}|it]] [[note:${deep}#A b]] ![[note:${plain}]] [[note:${far}]]`,
    })
    const text = '[[Plain|Plain]] [[x/y/Deep|it]] [[x/y/Deep#A b|Deep]] ![[Plain|Plain]]'
    const out = await me.moveOut()
    expect(body(out, 'x/From.md')).toBe(`${text} [[far/Far|Far]]`)
    expect(ends(out, 'x/From.md')).toEqual(['plain', 'deep', 'deep', 'plain', 'far'])
  })
})

describe('an export of titles that no file or link can have', () => {
  const TITLES = ['What? Why', 'C# tips', 'a|b', 'x [draft]', 'CON']

  test('has links that lead to their files', async () => {
    const [me, other] = [stranger(), stranger()]
    const ids: string[] = []
    for (const title of TITLES) ids.push(await me.note({ title, folder: 'f', body: title }))
    const written = [
      ...ids.map((id) => `[[note:${id}]]`),
      '[[What? Why]]',
      '[[f/What? Why|x]]',
      '[[con]]',
      '[m](f/What%3F%20Why.md#y)',
    ]
    const from = await me.note({ title: 'From', body: written.join('\n') })
    const expected = [...TITLES, 'What? Why', 'What? Why', 'CON', 'What? Why']
    await me.note({ title: 'Beside', folder: 'f', body: '[m](C%23%20tips.md) [[./What? Why]] [[What? Why#x]]' })
    const out = await me.moveOut()
    expect(ends(out, 'From.md')).toEqual(expected)
    expect(body(out, 'f/Beside.md')).toBe('[m](./C-%20tips.md) [[./What- Why]] [[f/What- Why#x|What? Why]]')
    expect(ends(out, 'f/Beside.md')).toEqual(['C# tips', 'What? Why', 'What? Why'])
    expect((await other.moveIn(out)).totals).toMatchObject({ created: 7, failed: 0 })
    expect(new Set(await other.ends(from))).toEqual(new Set(TITLES))
  })

  test('leaves a name that nothing links to, and the file names of a vault', async () => {
    const me = stranger()
    await me.note({ title: 'C# tips' })
    await me.moveIn({ 'D# tips.md': '', 'to.md': '[x](D%23%20tips.md)' })
    expect(Object.keys(await me.moveOut()).toSorted()).toEqual(['C# tips.md', 'D# tips.md', 'to.md'])
  })
})

describe('an export leaves as it is', () => {
  test.each([
    ['a link to a note of another folder than the exported one', '[[note:ID]]'],
    ['code and comments', '`[[note:IN]]` %%[[note:IN]]%%'],
    ['a link by a title that the file does not have', '[[Of its own]] [[of its own|x]]'],
    ['a link by an alias, into the note itself, or to nothing', '[[Other name]] [[#Top]] [[nothing]] [[note:nothing]]'],
  ])('%s', async (_, text) => {
    const me = stranger()
    const far = await me.note({ title: 'Far', folder: 'far' })
    await me.moveIn({ 'in/Note.md': '---\ntitle: Of its own\naliases: [Other name]\n---\n' })
    // Two with one path, so that links are looked at.
    await me.note({ title: 'Twice', folder: 'in' })
    const twice = await me.note({ title: 'Twice', folder: 'in' })
    const written = text.replaceAll('ID', far).replaceAll('IN', twice)
    await me.note({ title: 'From', folder: 'in', body: written })
    const out = await me.moveOut('?folder=in')
    expect(body(out, 'in/From.md')).toBe(written)
  })
})

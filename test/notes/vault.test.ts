import { afterAll, describe, expect, test } from 'bun:test'
import { FULL } from '../support/full'
import { linksOf } from '../support/obsidian'
import { bodyOf, mover, type Vault } from '../support/vault'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** A vault moves in, is edited here, and moves out: each link leads where it led, as Obsidian reads it. */

const world = await makeWorld({ settings: MANY_CALLERS })
const base = world.listen()
afterAll(world.close)

/** Numbers below `n`, the same for the same seed. */
function chooser(seed: number) {
  let state = seed
  const below = (n: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * n)
  }
  return { below, one: <T>(items: readonly T[]): T => items[below(items.length)] as T }
}

const FOLDERS = ['', 'Money', 'Work', 'Work/Plans', 'Work/Plans/Deep er', 'U\u0308ber uns', '\u00c4rzte/B (1)', 'z & z']
const NAMES = [
  'README',
  'Index',
  'Same name',
  'Budget 2',
  'U\u0308bung',
  '\u00dcbung 2',
  "it's",
  '100%',
  'a.b',
  'Plan (1)',
]
/** Wiki links cannot spell these. */
const ODD_NAMES = ['C# notes', 'a^b', 'x [draft]']

/** A vault of a script, with links of every form. Each leads to the file that it was written for. */
function makeVault(seed: number): Vault {
  const { below, one } = chooser(seed)
  const folders = FOLDERS.map((folder) => (folder === '' ? '' : `${folder}/`))
  const paths = new Set<string>()
  for (const name of NAMES) for (let n = 0; n < 4; n++) paths.add(`${one(folders)}${name}.md`)
  for (const name of ODD_NAMES) paths.add(`${one(folders)}${name}.md`)
  for (let n = 0; n < 30; n++) paths.add(`${one(folders)}Note ${n}.md`)
  // One file system cannot hold a name in two forms of its accents.
  const all = [...new Map([...paths].map((path) => [path.normalize('NFC').toLowerCase(), path])).values()]
  const bare: Vault = Object.fromEntries(all.map((path) => [path, '']))
  const text = (source: string) => {
    const links = Array.from({ length: 8 }, () => link(bare, source, one(all), { below, one }))
    const title =
      below(2) === 0
        ? ''
        : `---\ntitle: "${one(['A title', 'README', 'Index', 'Note 3', 'Of its own'])} ${below(40)}"\n---\n`
    const odd = '`[[README]] [x](README.md)` %%[[Index]]%% [e](https://example.org/README.md) [h](#top)'
    return `${title}# ${source}\n\n## A heading\n\n- ${links.join('\n- ')}\n\n[r${below(9)}]: ${relative(source, one(all))}\n\n${odd}\n`
  }
  return Object.fromEntries(all.map((path) => [path, text(path)]))
}

/** A link to a file in one of the forms that lead there. */
function link(vault: Vault, source: string, to: string, { below, one }: ReturnType<typeof chooser>): string {
  const stem = to.replace(/\.md$/, '')
  const name = stem.split('/').at(-1) ?? ''
  const form = one([
    (path: string) => path,
    (path: string) => path.normalize('NFC'),
    (path: string) => path.toLowerCase(),
  ])
  const wiki = [
    `[[${form(name)}]]`,
    `![[${form(stem)}]]`,
    `[[${stem}.md#A heading|shown]]`,
    `[[/${form(stem)}]]`,
    `[[${relative(source, stem, false)}|x]]`,
  ]
  const markdown = [
    `[x](${relative(source, to)})`,
    `[x *y*](${relative(source, to)}#A%20heading "t")`,
    `[x](<${relative(source, to, false).replaceAll(/[%#]/g, encodeURIComponent)}>)`,
    `[x](/${encode(form(to))})`,
    `![x](${encode(to)})`,
    `[x](${encode(`${name}.md`)})`,
  ]
  const forms = /[[\]#^|]/.test(to) ? markdown : [...wiki, ...markdown]
  for (let n = below(forms.length); ; n = (n + 1) % forms.length) {
    const written = forms[n] as string
    if (linksOf({ ...vault, [source]: written }, source)[0]?.leadsTo === to) return written
  }
}

const encode = (path: string) => encodeURI(path).replaceAll('#', '%23').replaceAll('(', '%28').replaceAll(')', '%29')

function relative(source: string, to: string, escaped = true): string {
  const [from, target] = [source.split('/').slice(0, -1), to.split('/')]
  while (from.length > 0 && target.length > 1 && from[0] === target[0]) {
    from.shift()
    target.shift()
  }
  const path = [...from.map(() => '..'), ...target].join('/')
  const dotted = path.startsWith('..') ? path : `./${path}`
  return escaped ? encode(dotted) : dotted
}

interface ListedNote {
  readonly id: string
  readonly folder: string | null
  readonly file_name: string | null
}

async function start(seed: number) {
  const me = mover(world, base, stranger())
  const vault = makeVault(seed)
  const report = await me.moveIn(vault)
  expect(report.totals).toMatchObject({ created: Object.keys(vault).length, failed: 0 })
  const notes = async (): Promise<ListedNote[]> => (await me.call('GET', '?limit=200')).body.items
  const linksTo = async (id: string): Promise<(string | null)[]> =>
    (await me.call('GET', `/${id}/links?limit=200`)).body.items.map((item: { note_id: string | null }) => item.note_id)
  return { ...me, vault, notes, linksTo }
}

const pathOf = ({ folder, file_name }: ListedNote) => (folder === null ? `${file_name}` : `${folder}/${file_name}`)
const key = (note: ListedNote) => pathOf(note).normalize('NFC').toLowerCase()
const idIn = (text: string) => /\bid: "?([0-9a-f-]{36})/.exec(text)?.[1] ?? 'no id'

// Each holds hundreds of links.
describe.each(FULL ? [1, 2, 3, 4, 5, 6] : [1, 2])('the vault of seed %i', (seed) => {
  test('has links of every form, which lead here where they lead in Obsidian', async () => {
    const me = await start(seed)
    const notes = await me.notes()
    const byId = new Map(notes.map((note) => [note.id, pathOf(note)]))
    for (const note of notes) {
      const wanted = linksOf(me.vault, pathOf(note))
      const found = (await me.linksTo(note.id)).map((id) => byId.get(id ?? '') ?? null)
      expect([pathOf(note), found]).toEqual([pathOf(note), wanted.map(({ leadsTo }) => leadsTo)])
      expect(found).not.toContain(null)
      expect(found.length).toBeGreaterThan(8)
    }
    expect((await me.call('GET', '/unresolved')).body.items).toEqual([])
  })

  test('comes out as it came in', async () => {
    const me = await start(seed)
    const out = await me.moveOut()
    expect(Object.keys(out).toSorted()).toEqual(Object.keys(me.vault).toSorted())
    for (const [path, text] of Object.entries(out))
      expect([path, bodyOf(text)]).toEqual([path, bodyOf(me.vault[path] ?? '')])
  })

  test('keeps each link on its note through renames and moves', async () => {
    const me = await start(seed)
    const { one } = chooser(seed + 100)
    const wanted = new Map<string, (string | null)[]>()
    for (const { id } of await me.notes()) wanted.set(id, await me.linksTo(id))
    const titles = ['Renamed', 'Was: "it"? [a|b] #1 ^', 'U\u0308ber 100% (neu)', 'README', 'a/b', "it's so"]
    // No two get one path, since Obsidian could not tell them apart.
    for (let n = 0; n < 25; n++) {
      const notes = await me.notes()
      const note = one(notes)
      const isFree = (folder: string | null) => notes.every((other) => key(other) !== key({ ...note, folder }))
      const folder = one([...FOLDERS, 'New folder/Sub', 'Money/2026']) || null
      const patch = one([
        { title: `${one(titles)} ${n}` },
        { file_name: `${one(['new', 'Plan (2)', 'O\u0308l', 'README', 'what? (3)'])} ${n}.md` },
        isFree(folder) ? { folder } : { pinned: true },
        { folder, title: `Both ${n}`, file_name: `Both ${n}.md` },
      ])
      const { status } = await me.call('PATCH', `/${note.id}`, patch)
      expect([patch, status]).toEqual([patch, 200])
    }
    await me.call('POST', '/folders/rename', { from: 'Work', to: 'Home/Old work' })
    await me.call('POST', '/folders/rename', { from: 'Home/Old work/Plans', to: 'Plans' })

    const out = await me.moveOut()
    const byPath = new Map(Object.entries(out).map(([path, text]) => [path, idIn(text)]))
    for (const [path, id] of byPath) {
      const alive = linksOf(out, path).map(({ written, leadsTo }) => [written, byPath.get(leadsTo ?? '') ?? null])
      expect([path, alive]).toEqual([path, alive.map(([written = ''], i) => [written, wanted.get(id)?.[i] ?? null])])
      expect([path, await me.linksTo(id)]).toEqual([path, wanted.get(id) ?? []])
    }
    expect(byPath.size).toBe(wanted.size)
  })
})

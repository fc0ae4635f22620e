import { afterAll, expect, test } from 'bun:test'
import { linksOf } from '../support/obsidian'
import { FILES, mover, type Vault } from '../support/vault'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'

/** A vault with pictures moves in, is edited here, and moves out: each embed leads to its picture, as Obsidian reads it. */

const world = await makeWorld({ settings: MANY_CALLERS })
const base = world.listen()
afterAll(world.close)

const VAULT: Vault = {
  ...FILES,
  'Work/Trip.md': [
    '![[by name.png]] ![[by name.png|300]] [[plan.pdf]] ![[Work/img/x y.png|a picture]]',
    '![](img/x%20y.png) ![p](<./img/x y.png> "title") [the plan](../Work/plan.pdf) ![](/root.png)',
    '![](../root.png) ![[../img/by name.png|100x50]] ![r][]',
    '',
    '[r]: ./img/x%20y.png',
  ].join('\n'),
  'Index.md': '[[Trip]] ![](Work/img/x%20y.png) ![[root.png]] ![](img/by%20name.png)',
}

/** What each link leads to: the bytes of a picture, or a note. */
const ends = (vault: Vault, path: string) =>
  linksOf(vault, path).map(({ leadsTo }) => (leadsTo?.endsWith('.md') ? 'note' : (vault[leadsTo ?? ''] ?? null)))

async function start(key: number) {
  const me = mover(world, base, { key: makeKey(key) })
  const report = await me.moveIn(VAULT)
  expect(report.totals).toMatchObject({ failed: 0 })
  return me
}

test('the vault has no dead link, here and in Obsidian', async () => {
  const me = await start(1)
  for (const path of ['Work/Trip.md', 'Index.md']) expect(ends(VAULT, path)).not.toContain(null)
  expect(ends(VAULT, 'Work/Trip.md')).toHaveLength(11)
  expect((await me.call('GET', '/unresolved')).body.items).toEqual([])
  expect((await me.at('Work/Trip.md')).links.unresolved).toBe(0)
})

test.each(['Away/Deep er', 'Work/Plans', null, 'img'])('embeds live on when their note moves to %j', async (folder) => {
  const key = 2 + [null, 'Work/Plans', 'img', 'Away/Deep er'].indexOf(folder)
  const me = await start(key)
  const trip = await me.at('Work/Trip.md')
  expect((await me.call('PATCH', `/${trip.id}`, { folder, title: 'Voyage', file_name: 'Voyage.md' })).status).toBe(200)
  const query = new URLSearchParams({ name: 'new.png', ...(folder === null ? {} : { folder }) })
  const added = await fetch(`${base}api/notes/attachments?${query}`, {
    method: 'POST',
    headers: { 'X-API-Key': makeKey(key) },
    body: 'the new picture',
  })
  expect(added.status).toBe(201)
  const { body } = (await me.call('GET', `/${trip.id}`)).body
  await me.call('PATCH', `/${trip.id}`, { body: `![[new.png]]\n\n${body}` })

  const out = await me.moveOut()
  const path = folder === null ? 'Voyage.md' : `${folder}/Voyage.md`
  expect([path, ends(out, path)]).toEqual([path, ['the new picture', ...ends(VAULT, 'Work/Trip.md')]])
  expect(ends(out, 'Index.md')).toEqual(ends(VAULT, 'Index.md'))
  for (const [name, text] of Object.entries(FILES)) expect([name, out[name]]).toEqual([name, text])
  // What led there by name, or from the root, is as it was.
  for (const kept of ['![[by name.png|300]]', '[[plan.pdf]]', '![[Work/img/x y.png|a picture]]', '![](/root.png)'])
    expect(out[path]).toContain(kept)
})

test('a renamed folder takes its notes along, and their embeds live on', async () => {
  const me = await start(9)
  await me.call('POST', '/folders/rename', { from: 'Work', to: 'Home/Old work' })
  const out = await me.moveOut()
  const path = Object.keys(out).find((name) => name.endsWith('Trip.md')) ?? ''
  expect(path).toBe('Home/Old work/Trip.md')
  expect(ends(out, path)).toEqual(ends(VAULT, 'Work/Trip.md'))
})

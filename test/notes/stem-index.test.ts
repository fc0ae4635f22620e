import { afterAll, describe, expect, test } from 'bun:test'
import type { Session } from '../../src/db/database'
import { createRename } from '../../src/notes/links/rename'
import { searchFollower } from '../../src/notes/search/follower'
import { createNotes } from '../../src/notes/service'
import { indexFollower } from '../../src/notes/stems/follower'
import type { StemQuery } from '../../src/notes/stems/stem-index.sqlite'
import { tagFollower } from '../../src/notes/tag-follower'
import { createWriter } from '../../src/notes/writer'
import { createListeners } from '../../src/workspace/listeners'
import { createWorkspaces } from '../../src/workspace/service'
import { makeWorld } from '../support/world'

const { db, clock, close } = await makeWorld()
afterAll(close)

const now = () => clock.now
const quota = { resources: 1000, size_bytes: 2 ** 30 }
const { record } = createWorkspaces({
  db,
  now,
  listeners: createListeners(),
  quotas: { key: quota, scratch: quota },
  diskIsFull: () => false,
})
let ids = 0
const writer = createWriter({ now, record, followers: [tagFollower, indexFollower, searchFollower] })
const notes = createNotes({
  now,
  ids: () => `01900000-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
  writer,
  rename: createRename({ now, writer }),
})

let workspaces = 0
const stranger = (): Session => {
  return { workspace: { id: String(++workspaces).padStart(32, '0') as Session['workspace']['id'], kind: 'key' }, db }
}

const inside = (text: string, weight = 1) => ({ text, match: 'inside' as const, weight })
const word = (text: string, weight = 1) => ({ text, match: 'word' as const, weight })

/** Titles of what is found, best first. */
async function titles(session: Session, terms: StemQuery['terms'], limits: Partial<StemQuery> = {}): Promise<string[]> {
  const query = { terms, limit: 20, bytes: 2 ** 20, tags: null, ids: null, ...limits }
  return (await notes.findByStems(session, query)).map(({ title }) => title)
}

describe('notes by the stems of a question', () => {
  test('come by the weight of the words they hold; one in the title counts twice', async () => {
    const me = stranger()
    for (const [title = '', body = ''] of [
      ['light', 'a lamp'],
      ['heavy', 'a boiler'],
      ['both', 'a lamp, two boilers'],
      ['lamp', 'nothing more'],
      ['none', 'a valve'],
    ])
      await notes.create(me, { title, body })
    expect(await titles(me, [word('lamps', 2), word('boiler', 3)])).toEqual(['both', 'lamp', 'heavy', 'light'])
  })

  test('come newest first among equals', async () => {
    const me = stranger()
    for (const title of ['old', 'middle', 'new']) {
      clock.now += 1000
      await notes.create(me, { title, body: 'a lamp' })
    }
    expect(await titles(me, [word('lamp')])).toEqual(['new', 'middle', 'old'])
    expect(await titles(me, [word('lamp')], { limit: 2 })).toEqual(['new', 'middle'])
  })

  test('end with the note that fills the bytes', async () => {
    const me = stranger()
    for (const title of ['c', 'b', 'a']) {
      clock.now += 1000
      await notes.create(me, { title, body: `lamp ${'x'.repeat(1000)}` })
    }
    expect(await titles(me, [word('lamp')], { bytes: 1 })).toEqual(['a'])
    expect(await titles(me, [word('lamp')], { bytes: 1100 })).toEqual(['a', 'b'])
  })

  test('are looked for by a beginning only where that is asked for', async () => {
    const me = stranger()
    await notes.create(me, { title: 'heat', body: 'The thermostats are new.' })
    expect(await titles(me, [word('thermo')])).toEqual([])
    expect(await titles(me, [{ text: 'thermo', match: 'start', weight: 1 }])).toEqual(['heat'])
  })

  test('are found and counted the same whatever another workspace holds', async () => {
    const [me, other] = [stranger(), stranger()]
    for (const title of ['lamp', 'boiler']) await notes.create(me, { title, body: `One ${title}.` })
    const terms = [word('lamp'), word('boiler'), word('valve')]
    const look = async () => [await titles(me, terms), await notes.countByStems(me, terms)]
    const alone = await look()
    expect(alone).toEqual([['lamp', 'boiler'], { total: 2, containing: [1, 1, 0] }])
    for (const body of ['lamp lamp', 'lamp', 'valve']) await notes.create(other, { title: 'lamp', body })
    expect(await look()).toEqual(alone)
  })
})

describe('notes by what stands inside runs of letters', () => {
  test('are found and counted wherever it stands, however short it is, in title or body but not in tags', async () => {
    const me = stranger()
    await notes.create(me, { title: '朝', body: '京都のホテルは駅の北口にあります。' })
    await notes.create(me, { title: '駅前の京都', body: 'なし', tags: ['北口'] })
    const terms = ['駅', '北口', 'ホテル', '京都のホテルは駅', '南口'].map((text) => inside(text))
    expect(await notes.countByStems(me, terms)).toEqual({ total: 2, containing: [2, 1, 1, 1, 0] })
    expect(await titles(me, [inside('北口')])).toEqual(['朝'])
    expect(await titles(me, [inside('ﾎﾃﾙ')])).toEqual(['朝'])
    expect(await titles(me, [inside('京都')])).toEqual(['駅前の京都', '朝'])
  })

  test('come by weights that add to those of words', async () => {
    const me = stranger()
    for (const [title = '', body = ''] of [
      ['run', '私は東京に住む'],
      ['word', 'a lamp'],
      ['both', 'lamp: 東京'],
    ])
      await notes.create(me, { title, body })
    expect(await titles(me, [word('lamp', 2), inside('東京', 3)])).toEqual(['both', 'run', 'word'])
    expect(await titles(me, [word('lamp', 3), inside('東京', 2)])).toEqual(['both', 'word', 'run'])
  })

  test('are of the own workspace, living, and as they read now', async () => {
    const [me, other] = [stranger(), stranger()]
    const note = (await notes.create(me, { title: 'a', body: '東京タワー' })).resource
    await notes.create(other, { title: 'b', body: '東京タワー、東京' })
    const terms = [inside('東京'), inside('タワー'), inside('大阪城')]
    expect(await titles(me, terms)).toEqual(['a'])
    expect(await notes.countByStems(me, terms)).toEqual({ total: 1, containing: [1, 1, 0] })
    await notes.update(me, note.id, { body: '大阪城' })
    expect(await notes.countByStems(me, terms)).toEqual({ total: 1, containing: [0, 0, 1] })
    await notes.trash(me, note.id)
    expect(await titles(me, terms)).toEqual([])
    expect(await notes.countByStems(stranger(), terms)).toEqual({ total: 0, containing: [0, 0, 0] })
  })
})

test('a tag narrows what is found, in any case and any script, and only a tag that was set', async () => {
  const me = stranger()
  await notes.create(me, { title: 'set', body: 'lamp', tags: ['Ärger', 'ΣΟΦΌΣ', 'ASCII'] })
  await notes.create(me, { title: 'below', body: 'lamp', tags: ['ärger/x'] })
  await notes.create(me, { title: 'inline', body: 'lamp #ärger' })
  for (const tag of ['ärger', 'ÄRGER', 'A\u0308rger', 'σοφόσ', 'ascii'])
    expect(await titles(me, [word('lamp')], { tags: [tag] })).toEqual(['set'])
  expect(await titles(me, [word('lamp')], { tags: ['ärger', 'ascii'] })).toEqual(['set'])
  expect(await titles(me, [word('lamp')], { tags: ['ärger', 'none'] })).toEqual([])
})

test('no term is ever syntax, nor names the column of workspaces', async () => {
  const me = stranger()
  await notes.create(me, { title: 'T', body: 'lamp' })
  const hostile = ['"', 'a" OR "lamp', '*', 'title:lamp x', ') OR (lamp', me.workspace.id, '']
  for (const text of hostile)
    for (const match of ['word', 'start', 'inside'] as const)
      expect(await titles(me, [{ text, match, weight: 1 }])).toEqual([])
  expect(await notes.countByStems(me, [])).toEqual({ total: 1, containing: [] })
})

import { afterAll, expect, test } from 'bun:test'
import { useDatabase } from '../support/database'
import { contradictions } from '../support/recount'
import { makeFinders } from './finders'

/** That the recount of the index, which other tests ask after each blow, finds what it is there for. */

const { world, stranger, note, task, fact } = await makeFinders()
afterAll(world.close)

const index = () => world.jobs.find(({ name }) => name === 'update the search index')?.run(new AbortController().signal)

const sql = (...statements: string[]) =>
  useDatabase(world.folder, async (db) => {
    for (const statement of statements) await db.run(statement)
  })

test('an index that was kept through changes is as one made anew, and each fault in it is told', async () => {
  const me = stranger()
  const ids: string[] = []
  for (let n = 0; n < 70; n++)
    ids.push((await note(me, { title: `Note ${n}`, body: `# A\n\nword${n}`, tags: ['t'] })).id)
  const { id } = await task(me, { title: 'A task', notes: 'of things', labels: ['home'] })
  await fact(me, { front: 'Front', back: 'Back', hint: 'hint', tags: ['x'] })
  await index()
  await world.call(me, 'PATCH', `/api/notes/${ids[3]}`, { title: 'Changed' })
  await world.call(me, 'PATCH', `/api/tasks/${id}`, { notes: 'of other things' })
  await world.call(me, 'DELETE', `/api/notes/${ids[4]}`)
  await world.call(me, 'DELETE', `/api/notes/${ids[5]}?permanent=true`)
  expect(await contradictions(world.folder)).toEqual([])
  await index()
  expect(await contradictions(world.folder)).toEqual([])

  const faults: [fault: string, statements: string[], mending: string[]][] = [
    [
      'stands for nothing',
      ['CREATE TABLE kept AS SELECT * FROM search_dead', 'DELETE FROM search_dead'],
      ['INSERT INTO search_dead SELECT * FROM kept'],
    ],
    [
      'is to be indexed, and is',
      ['UPDATE search_docs SET pending = 1 WHERE doc = 1'],
      ['UPDATE search_docs SET pending = 0 WHERE doc = 1'],
    ],
    [
      'is found by other terms: ~thing',
      ["UPDATE search_blocks SET terms = replace(terms, '~thing', '~thinh')"],
      ["UPDATE search_blocks SET terms = replace(terms, '~thinh', '~thing')"],
    ],
    ['is in no segment', ['UPDATE search_segments SET ready = 0'], ['UPDATE search_segments SET ready = 1']],
  ]
  for (const [fault, statements, mending] of faults) {
    await sql(...statements)
    expect((await contradictions(world.folder)).join('\n')).toContain(fault)
    await sql(...mending)
    expect(await contradictions(world.folder)).toEqual([])
  }
})

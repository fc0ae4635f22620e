import { afterAll, expect, test } from 'bun:test'
import type { WorkspaceId } from '../../../src/db/database'
import { shelfOf } from '../../../src/notes/search/doc-index.sqlite'
import { Statement } from '../../../src/notes/search/statement.sqlite'
import { makeCallers } from './callers'

const { world, stranger, create } = await makeCallers()
afterAll(world.close)

test('a tag is the same whether its notes are listed or each note is looked up', async () => {
  const me = stranger()
  for (const tags of [['a'], ['a/b', 'A/c'], ['ab'], [], ['c', 'a']])
    await create(me, { title: tags.join() || 'none', tags })
  await create(me, { title: 'inline', body: '#a/d' })
  await create(stranger(), { title: 'not mine', tags: ['a'] })
  const [shelf] = await world.db.all<{ workspace: WorkspaceId }>('SELECT workspace FROM note_shelves ORDER BY shelf')
  const workspace = shelf?.workspace ?? ('' as WorkspaceId)
  const range = (await shelfOf(world.db, workspace)) ?? [0, 0]
  const titles = (leaf: { kind: 'tag'; text: string; match: 'whole' }, common: boolean, negated: boolean) => {
    const statement = new Statement(workspace, range, '+note_docs.doc', new Set(common ? [leaf] : []))
    const row = { kind: 'row', leaf } as const
    const condition = statement.condition(negated ? { kind: 'not', part: row } : row)
    return world.db.all<{ title: string }>(
      `SELECT title FROM note_docs JOIN notes ON notes.key = note_docs.key
       WHERE ${statement.within('doc')} AND ${condition} ORDER BY doc`,
      statement.bind.values,
    )
  }
  const leaf = { kind: 'tag', text: 'A', match: 'whole' } as const
  const having = ['a', 'a/b,A/c', 'c,a', 'inline'].map((title) => ({ title }))
  for (const common of [true, false]) {
    expect(await titles(leaf, common, false)).toEqual(having)
    expect((await titles(leaf, common, true)).map(({ title }) => title)).toEqual(['ab', 'none'])
  }
})

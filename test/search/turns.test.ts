import { expect, test } from 'bun:test'
import type { Session, WorkspaceId } from '../../src/db/database'
import type { ApiError } from '../../src/http/api-error'
import { createSearchFiles } from '../../src/search/files'
import { makeIndexed, OTHER, OWN } from './indexed'

/** A search that runs until it is told to end. */
function makeSearch() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const search = {
    began: false,
    end: resolve,
    run() {
      search.began = true
      return promise
    },
  }
  return search
}

async function makeTurns(turnWaitMs?: number) {
  const { db, sources, folder } = await makeIndexed()
  const ticks = () => performance.now()
  const files = createSearchFiles({ db, sources, folder, ticks, now: () => 0, ...(turnWaitMs ? { turnWaitMs } : {}) })
  const sessionOf = (id: WorkspaceId): Session => ({ db, workspace: { id, kind: 'key' } })
  return <T>(workspace: WorkspaceId, run: () => Promise<T>) => files.search(sessionOf(workspace), run)
}

test('searches of a workspace take turns, and those of others are not held up', async () => {
  const inTurn = await makeTurns()
  const searches = Array.from({ length: 3 }, makeSearch)
  const done = searches.map(({ run }) => inTurn(OWN, run))
  const other = makeSearch()
  const otherDone = inTurn(OTHER, other.run)
  await Bun.sleep(50)
  expect([...searches, other].map(({ began }) => began)).toEqual([true, false, false, true])
  searches[0]?.end()
  await done[0]
  await Bun.sleep(50)
  expect(searches.map(({ began }) => began)).toEqual([true, true, false])
  for (const { end } of [...searches, other]) end()
  await Promise.all([...done, otherDone])
  expect(searches.map(({ began }) => began)).toEqual([true, true, true])
})

test('one that waits too long is refused before it begins, and leaves its place to others', async () => {
  const inTurn = await makeTurns(20)
  const [first, second] = [makeSearch(), makeSearch()]
  const running = inTurn(OWN, first.run)
  const refused: ApiError = await inTurn(OWN, second.run).then(
    () => Promise.reject(),
    (error) => error,
  )
  expect([refused.status, refused.headers['Retry-After']]).toEqual([503, '5'])
  first.end()
  await running
  // One that fails ends its turn.
  await expect(inTurn(OWN, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await inTurn(OWN, async () => 'found')).toBe('found')
  expect(second.began).toBe(false)
})

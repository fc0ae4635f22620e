import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { packageOf } from './anki/build'
import { makeTransferWorld, STUDIED_SOURCE } from './transfer-support'

let world: Awaited<ReturnType<typeof makeTransferWorld>>
beforeAll(async () => {
  world = await makeTransferWorld()
})
afterAll(() => world.close())

const file = packageOf('legacy1', STUDIED_SOURCE)

async function learner() {
  const me = world.stranger()
  expect((await world.send(me, 'format=apkg', file)).status).toBe(200)
  return me
}

describe('what is exported and imported into an empty workspace is as it was:', () => {
  test.each(['apkg', 'json'])('%s, with decks, schedules and the log', async (format) => {
    const [me, other] = [await learner(), world.stranger()]
    const before = await world.studied(me)
    expect(before.map(({ deck }) => deck)).toEqual(['Geography', 'Languages::Portuguese', 'Geography'].toSorted())
    const sent = await world.send(other, `format=${format}`, await world.exported(me, `format=${format}`))
    expect(sent.body).toMatchObject({ facts: { new: 3, skipped: 0 }, cards: 4, reviews: 3 })
    expect(await world.studied(other)).toEqual(before)
  })
})

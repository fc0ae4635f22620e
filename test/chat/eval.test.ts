import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Squad } from '../../eval/answers'
import { type Clinc, measureIntents } from '../../eval/intents'

/** `bun run eval` needs nothing but what is part of the project. */

const read = (name: string) => Bun.file(join(import.meta.dir, '../../eval/data', name)).json()

describe('the small set that the embedded engine is measured on', () => {
  test('has answers that stand in their passages, and queries that nothing answers', async () => {
    const squad: Squad = await read('answers.json')
    const passages = squad.data.flatMap(({ paragraphs }) => paragraphs)
    const answers = passages.flatMap(({ context, qas }) =>
      qas.flatMap((asked) => asked.answers.map((a) => [context, a.text])),
    )
    expect(answers.length).toBeGreaterThanOrEqual(15)
    for (const [context, answer] of answers) expect(context).toContain(answer as string)
    expect((await read('foreign.json')).length).toBeGreaterThanOrEqual(10)
  })

  test('has intents that the grammar reads as well as the targets say', async () => {
    const clinc: Clinc = await read('intents.json')
    const figures = measureIntents(clinc, 'test', null)
    expect(figures.filter(({ reached }) => !reached)).toEqual([])
    expect(clinc.oos_test?.length).toBeGreaterThanOrEqual(20)
  })
})

import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { makeCallers } from './support'

const { world, caller } = await makeCallers()
afterAll(world.close)

const WORDS = ['boiler', 'boilers', 'valve', 'lamp', 'warranty', 'ladder', 'garden', 'paint', '東京', 'öl']
const words = (maxLength: number) => fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength })

describe('the notes that a question is answered from', () => {
  test('are those of the search', async () => {
    const drafts = fc.array(fc.tuple(words(2), words(12)), { minLength: 4, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(drafts, words(2), async (texts, sought) => {
        const me = await caller(
          texts.map(([title, body], i) => ({ title: `${title.join(' ')} ${i}`, body: body.join(' ') })),
        )
        // Too little of it stands anywhere, so that the nearest is quoted.
        const question = `${sought.join(' ')} xylophone quartzite zeppelin umbrella`
        const { message } = await me.ask(question)
        const { body } = await world.call(me, 'GET', `/api/notes/search?${new URLSearchParams({ q: question })}`)
        const named = [...message.content.matchAll(/"([^"]*)"/g)].map(([, title]) => title)
        const found = body.items.map(({ title }: { title: string }) => title)
        if (found.length > 0) expect(found).toContain(named[0])
      }),
      { numRuns: runs(25) },
    )
  })

  test.each([
    ['a word that no note has begins one', 'What about the insur?', ['Policy']],
    ['short ones do not', 'What about the insu?', []],
    ['nor does what a note has as it is', 'What about the garden?', ['Garden']],
    ['nor what no word begins with', 'What about the insurgent?', []],
  ])('%s', async (_, question, titles) => {
    const me = await caller([
      { title: 'Policy', body: 'Our insurance covers the roof.' },
      { title: 'Garden', body: 'The garden has a ladder.' },
      { title: 'Work', body: 'The gardenia blooms in May.' },
    ])
    expect((await me.ask(question)).citations.map(({ title }) => title)).toEqual(titles)
  })
})

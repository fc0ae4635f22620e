import { expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { skipResponseValidation } from '../../src/http/api'

const routes = () =>
  new Elysia({ normalize: false }).get('/', ({ set }): { word: string } => {
    set.status = 201
    return { word: 7 } as never
  }, { response: { 201: t.Object({ word: t.String() }) } }) // biome-ignore format: one route

test('an answer that is off is sent with its status, and the schema stays what the docs show', async () => {
  const [checked, trusted] = [routes(), routes()]
  skipResponseValidation(trusted)
  const answers = await Promise.all([checked, trusted].map((app) => app.handle(new Request('http://localhost/'))))
  expect(answers.map(({ status }) => status)).toEqual([422, 201])
  expect(await answers[1]?.json()).toEqual({ word: 7 })
  const [shown, kept] = [checked, trusted].map((app) => JSON.stringify(app.routes[0]?.hooks.response))
  expect(kept).toBe(shown ?? '')
})

import { afterAll, expect, test } from 'bun:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { makeWorld } from '../support/world'

/** Both documents, by the recommended rules of two linters. */

const REDOCLY_OFF = [
  // The server belongs to the person who runs it: the document can't know its terms, nor whom to ask.
  'info-license',
  // `/api/tasks/{id}/restore` and `/api/tasks/projects/{id}`: ids are UUIDs, and fixed parts come before templates.
  'no-ambiguous-paths',
  // What any request may be refused with is said once, as `default`.
  'operation-4xx-response',
]
const SPECTRAL_OFF = [
  'info-contact',
  // A pair of numbers has `items: false`, as JSON Schema 2020-12 writes it; the rule takes that for absent.
  'array-items',
]

const world = await makeWorld()
afterAll(world.close)

async function lintByRedocly(source: string): Promise<string[]> {
  const rules = Object.fromEntries(REDOCLY_OFF.map((rule) => [rule, 'off' as const]))
  const config = await createConfig({ extends: ['recommended'], rules })
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

async function lintBySpectral(source: string): Promise<string[]> {
  const spectral = new spectralCore.Spectral()
  const rules = Object.fromEntries(SPECTRAL_OFF.map((rule) => [rule, 'off' as const]))
  spectral.setRuleset({ extends: [[oas as never, 'recommended']], rules })
  const results = await spectral.run(JSON.parse(source))
  return results.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)
}

test.each(['/docs/json', '/openapi.json'])('%s has nothing that a linter finds wrong', async (path) => {
  const source = JSON.stringify((await world.call({}, 'GET', path)).body)
  expect(await lintByRedocly(source)).toEqual([])
  expect(await lintBySpectral(source)).toEqual([])
})

test('each finds what is wrong in another document', async () => {
  const { body } = await world.call({}, 'GET', '/openapi.json')
  const wrong = { ...body, tags: [...body.tags, body.tags[0]], paths: { ...body.paths, '/api/more/': { get: {} } } }
  const source = JSON.stringify(wrong)
  expect((await lintByRedocly(source)).length).toBeGreaterThan(1)
  expect((await lintBySpectral(source)).length).toBeGreaterThan(1)
})

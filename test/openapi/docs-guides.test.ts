import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { GUIDES } from '../../src/openapi/guides'
import { needsPrograms, readBlocks, runGuide } from '../support/guides'
import { makeWorld } from '../support/world'

/** The guides as their readers use them. Those that need programs of Debian: test/server/guides.server.ts. */

const ROOT = `${import.meta.dir}/../..`
const world = await makeWorld()
const base = world.listen().slice(0, -1)
afterAll(() => world.close())

test('every file of docs/guides is a guide', () => {
  const files = readdirSync(`${ROOT}/docs/guides`).map((name) => name.replace('.md', ''))
  expect(GUIDES.map(({ name }) => name).toSorted()).toEqual(files.toSorted())
})

test.each(GUIDES.filter((guide) => !needsPrograms(guide)))('the commands of $name can be pasted in order', async (guide) => {
  const { code, output, missing } = await runGuide(guide)
  expect({ code, missing, output }).toEqual({ code: 0, missing: [], output })
})

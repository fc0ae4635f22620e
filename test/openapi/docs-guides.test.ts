import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { SAMPLE_BASE } from '../../public/docs-samples.js'
import { GUIDES } from '../../src/openapi/guides'
import { makeWorld } from '../support/world'

const ROOT = `${import.meta.dir}/../..`
const worlds: Awaited<ReturnType<typeof makeWorld>>[] = []
afterAll(async () => {
  for (const world of worlds) await world.close()
})

test('every file of docs/guides is a guide', () => {
  const files = readdirSync(`${ROOT}/docs/guides`).map((name) => name.replace('.md', ''))
  expect(GUIDES.map(({ name }) => name).toSorted()).toEqual(files.toSorted())
})

/** The program of the client's guide has a test of its own. */
const BY_COMMANDS = GUIDES.filter(({ name }) => name === 'ten-minutes')

test.each(BY_COMMANDS)('the commands of $name can be pasted in order on a new server', async ({ name, markdown }) => {
  const world = await makeWorld()
  worlds.push(world)
  const base = world.listen().slice(0, -1)
  const commands = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? '')
  expect(commands).not.toBeEmpty()
  const script = ['set -e', ...commands].join('\n').replaceAll(SAMPLE_BASE, base)
  const child = Bun.spawn(['sh', '-c', script], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: '' })
  expect(output).toContain('"content":"From \\"House\\"')
  const page = await (await fetch(`${base}/docs/guides/${name}`)).text()
  expect([...page.matchAll(/<pre class="block">/g)].length).toBe(commands.length)
})

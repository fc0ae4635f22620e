import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageManager, scripts } from '../../package.json'
import { SETTINGS } from '../../src/config'
import { startServer } from '../support/server'

/** The Dockerfile, as far as it can be held without Docker: what it names is there, and what it says is so. */

const ROOT = join(import.meta.dir, '../..')
const text = await Bun.file(join(ROOT, 'Dockerfile')).text()
const instructions = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .trim()
  .split(/\n+/)
  .map((line) => ({ name: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
const all = (name: string) => instructions.filter((one) => one.name === name).map(({ rest }) => rest)
const last = (name: string) => all(name).at(-1) ?? ''
const environment = Object.fromEntries(
  all('ENV')
    .join(' ')
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
)

test('it has known instructions, in two stages, the first with the Bun that the project names', () => {
  const known = 'FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD'.split(' ')
  for (const { name } of instructions) expect(known).toContain(name)
  expect(all('FROM')).toEqual([`oven/${packageManager.replace('@', ':')} AS build`, expect.not.stringMatching(/bun/)])
})

test('what it copies is there, and reaches it', async () => {
  const allowed = (await Bun.file(join(ROOT, '.dockerignore')).text())
    .split('\n')
    .filter((line) => line.startsWith('!'))
  const copied = all('COPY').filter((rest) => !rest.startsWith('--from'))
  const sources = copied.flatMap((rest) => rest.split(' ').slice(0, -1))
  expect(sources).toContainValues(['bun.lock', 'package.json', 'public', 'src'])
  for (const source of sources) expect([source, existsSync(join(ROOT, source))]).toEqual([source, true])
  expect(allowed.map((line) => line.slice(1)).toSorted()).toEqual(sources.toSorted())
  expect(Object.keys(scripts)).toContain('build')
})

test('it copies what was built', () => {
  const workdir = all('WORKDIR')[0]
  expect(all('COPY').filter((rest) => rest.startsWith('--from'))).toEqual([
    `--from=build ${workdir}/dist/satchel /usr/local/bin/satchel`,
  ])
  expect([last('ENTRYPOINT'), last('CMD')]).toEqual(['["satchel"]', '["serve"]'])
})

test('it runs as a user who is not root, to whom the volume of the data belongs', () => {
  const [, uid = ''] = /^(\d+):\d+$/.exec(last('USER')) ?? []
  expect(Number(uid)).toBeGreaterThan(999)
  const users = all('RUN').at(-1) ?? ''
  expect(users).toContain(`useradd --uid ${uid} `)
  expect(users).toMatch(/install --directory --owner=satchel .* \/data$/)
  expect(instructions.findLastIndex(({ name }) => name === 'USER')).toBeGreaterThan(
    instructions.findLastIndex(({ name }) => name === 'RUN'),
  )
  expect([last('VOLUME'), environment.DATA_DIR]).toEqual(['/data', '/data'])
})

test('its settings are settings, and can be reached from outside', () => {
  for (const [name, value] of Object.entries(environment)) SETTINGS[name as keyof typeof SETTINGS].read(value)
  expect([environment.HOST, environment.PORT]).toEqual(['0.0.0.0', last('EXPOSE')])
})

test('its look at the health finds a server that is alive, and none', async () => {
  const command: string[] = JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, ''))
  const { url, stop } = await startServer()
  const look = () =>
    Bun.spawn(command, {
      env: { PATH: process.env.PATH, PORT: new URL(url).port },
      stderr: 'ignore',
    }).exited
  expect(await look()).toBe(0)
  await stop('SIGTERM')
  expect(await look()).not.toBe(0)
})

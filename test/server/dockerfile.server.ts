import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageManager, scripts } from '../../package.json'
import { readConfig, SETTINGS } from '../../src/config'
import { makeFolder } from '../support/folder'
import { runCommand, startServer } from '../support/server'

/** The Dockerfile, compose.yaml and the unit of systemd, as far as it can be held without running them: what each names is there, and what it says is so. */

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
  const known = 'FROM LABEL WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD'.split(' ')
  for (const { name } of instructions) expect(known).toContain(name)
  expect(all('FROM')).toEqual([`oven/${packageManager.replace('@', ':')} AS build`, expect.not.stringMatching(/bun/)])
})

test('what it copies is there, and reaches it', async () => {
  const allowed = (await Bun.file(join(ROOT, '.dockerignore')).text())
    .split('\n')
    .filter((line) => line.startsWith('!'))
  const copied = all('COPY').filter((rest) => !rest.startsWith('--from'))
  const sources = copied.flatMap((rest) => rest.split(' ').slice(0, -1))
  expect(sources).toContainValues(['app', 'bun.lock', 'package.json', 'public', 'src'])
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

test('its look at the health finds a server that is ready, and none, also where a proxy is set', async () => {
  const [program, ...args]: string[] = JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, ''))
  expect(program).toBe('satchel')
  const { url, stop } = await startServer()
  // The system names a proxy for requests to others, which cannot reach this server.
  const settings = { PORT: new URL(url).port, HOST: environment.HOST ?? '', http_proxy: 'http://127.0.0.1:9' }
  const look = () => runCommand(makeFolder(), args, settings)
  expect(await look()).toEqual({ code: 0, stdout: `The server at ${url} is ready.\n`, stderr: '' })
  await stop('SIGTERM')
  const none = `Satchel cannot health. No server answers at ${url}.\n`
  expect(await look()).toEqual({ code: 1, stdout: '', stderr: none })
})

describe('compose.yaml', async () => {
  const compose = parse(await Bun.file(join(ROOT, 'compose.yaml')).text())
  const { satchel } = compose.services

  test('runs the image as it says itself, with nothing that it need not have', () => {
    expect(satchel).toMatchObject({
      build: '.',
      user: last('USER'),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      healthcheck: { test: ['CMD', ...JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, ''))] },
    })
    expect(satchel.volumes.map((volume: string) => volume.split(':'))).toEqual([['data', last('VOLUME')]])
    expect(Object.keys(compose.volumes)).toEqual(['data'])
    expect(satchel.ports).toEqual([`127.0.0.1:${last('EXPOSE')}:${last('EXPOSE')}`])
  })

  test('trusts the network that it makes, and no other', () => {
    const { TRUSTED_PROXIES: trusted, ...others } = satchel.environment
    expect([trusted, others]).toEqual([compose.networks[satchel.networks[0]].ipam.config[0].subnet, {}])
    SETTINGS.TRUSTED_PROXIES.read(trusted)
  })
})

describe('compose.scale.yaml', async () => {
  const { services, networks } = parse(await Bun.file(join(ROOT, 'compose.scale.yaml')).text())
  const { satchel, haproxy } = services

  test('runs the same image, with settings that a server takes', () => {
    const { TRUSTED_PROXIES: trusted, ...others } = satchel.environment
    expect(trusted).toBe(networks[satchel.networks[0]].ipam.config[0].subnet)
    const given = Object.entries(others as Record<string, string>).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):\?\}/g, 'ab'.repeat(32)),
    ])
    const { DATABASE_URL, REDIS_URL } = readConfig(Object.fromEntries(given))
    expect([URL.parse(DATABASE_URL ?? '')?.hostname, URL.parse(REDIS_URL ?? '')?.hostname]).toEqual([
      'postgres',
      'valkey',
    ])
    expect([satchel.user, satchel.read_only, satchel.cap_drop]).toEqual([last('USER'), true, ['ALL']])
  })

  test('gives HAProxy a file that is there, and that asks for the port of the image', async () => {
    const [[file, place]] = haproxy.volumes.map((volume: string) => volume.split(':'))
    expect(place).toBe('/usr/local/etc/haproxy/haproxy.cfg')
    const configuration = await Bun.file(join(ROOT, file)).text()
    expect(configuration).toContain(` satchel:${last('EXPOSE')} `)
    expect(haproxy.ports).toEqual([`127.0.0.1:3000:${/^ {2}bind :(\d+)$/m.exec(configuration)?.[1]}`])
  })
})

test('compose and systemd wait longer than the server takes to stop', async () => {
  const limit = Number((await Bun.file(join(ROOT, 'src/main.ts')).text()).match(/MAX_STOP_MS = (\d+)_000/)?.[1])
  const compose = parse(await Bun.file(join(ROOT, 'compose.yaml')).text()).services.satchel.stop_grace_period
  const unit = (await Bun.file(join(ROOT, 'build/satchel.service')).text()).match(/^TimeoutStopSec=(\d+)$/m)?.[1]
  for (const seconds of [Number.parseInt(compose, 10), Number(unit)]) expect(seconds).toBeGreaterThan(limit)
})

test('systemd finds no fault in the unit, and calls its exposure small', async () => {
  const folder = makeFolder()
  const unit = await Bun.file(join(ROOT, 'build/satchel.service')).text()
  const path = join(folder, 'satchel.service')
  // The program need not be installed where the tests run.
  await Bun.write(path, unit.replace('/usr/local/bin/satchel', process.execPath))
  const analyze = (...args: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', ...args, path])
    return [exitCode, stderr.toString()]
  }
  expect(analyze('verify')).toEqual([0, ''])
  expect(analyze('security', '--offline=yes', '--threshold=20')).toEqual([0, ''])
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value])
  expect(settings).toEqual([['DATA_DIR', `/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`]])
})

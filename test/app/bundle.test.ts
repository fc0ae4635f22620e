/** What a browser loads of the app, in bytes on the wire. */
import { beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { bundleApp } from '../../build/bundle-app'
import { makeFolder } from '../support/folder'

const KB = 1024
let folder: string
let names: string[]

beforeAll(async () => {
  folder = join(makeFolder(), 'app')
  await bundleApp(folder)
  names = readdirSync(folder)
})

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** A file with all that it loads at once. */
function withImports(name: string): Set<string> {
  const loaded = new Set([name])
  for (const file of loaded)
    for (const [, wanted = ''] of read(file).matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g)) loaded.add(wanted)
  return loaded
}

/** The one file whose name begins so; what is loaded later has a hash in its name. */
function later(start: string): string {
  const [found, ...others] = names.filter((name) => name.startsWith(`${start}-`))
  if (found === undefined || others.length > 0) throw new Error(`Not one file begins with ${start}: ${names}`)
  return found
}

/** As the server compresses them. */
const sizeOf = (files: Iterable<string>) => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  return [...files].reduce((sum, name) => sum + brotliCompressSync(read(name), { params }).length, 0)
}

const firstLoad = () => new Set(['index.html', 'app.css', ...atOnce(), ...withImports(later('TodayScreen'))])
/** What every screen needs. */
const atOnce = () => new Set([...withImports('main.js'), ...withImports(later('Shell'))])

test('what is loaded before Today is shown has at most 70 KB', () => {
  expect(sizeOf(firstLoad())).toBeLessThan(70 * KB)
})

test.each([
  ['read-task', 43],
  ['StudyScreen', 26],
  ['ChatScreen', 15],
  ['codemirror', 95],
  ['paste', 30],
  ['tex', 90],
])('what is loaded for %s has at most %d KB', (name, limit) => {
  const first = firstLoad()
  expect(sizeOf([...withImports(later(name))].filter((file) => !first.has(file)))).toBeLessThan(limit * KB)
})

test('the page asks at once for all that every screen needs', () => {
  const named = [...read('index.html').matchAll(/<link rel="modulepreload" href="([^"]+)"/g)].map(
    ([, name = '']) => name,
  )
  expect(['main.js', ...named].toSorted()).toEqual([...atOnce()].toSorted())
})

test('every file that one names is there, and nothing comes from another host', () => {
  for (const name of names) {
    const text = read(name)
    for (const [, wanted = ''] of text.matchAll(/["']\.\/([\w-]+\.(?:js|css))["']/g)) expect(names).toContain(wanted)
    const addresses = [...text.matchAll(/["'(`](?:https?:)?\/\/[a-z0-9-]+\.[a-z0-9.-]+/gi)].map(([address]) => address)
    expect([name, addresses.filter((address) => !address.includes('//www.w3.org'))]).toEqual([name, []])
  }
})

test('the service worker knows every file by its content, and is small', () => {
  const worker = read('service-worker.js')
  for (const name of names.filter((name) => !['service-worker.js', 'index.html'].includes(name))) {
    const hash = new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, name))).digest('base64')
    expect(worker).toContain(`"app/${name}":"sha256-${hash}"`)
  }
  for (const name of ['app/index.html', 'icon.svg']) expect(worker).toContain(`"${name}":"sha256-`)
  expect(worker).not.toContain('"app/service-worker.js"')
  expect(sizeOf(['service-worker.js'])).toBeLessThan(4 * KB)
})

test('the page has nothing inline, and the same source gives the same files', async () => {
  expect(read('index.html')).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]* src=)/i)
  const parent = makeFolder()
  const again = join(parent, 'app')
  await Bun.write(join(again, 'of-another-bundle.js'), '')
  await bundleApp(again)
  expect(readdirSync(parent)).toEqual(['app'])
  expect(readdirSync(again)).toEqual(names)
  for (const name of names) expect(readFileSync(join(again, name), 'utf8')).toBe(read(name))
})

test('there is an icon for each kind of browser, of the size that is said', () => {
  /** Of a PNG: its first part has the width and the height. */
  const sizeOfPicture = (name: string) => {
    const bytes = readFileSync(join(folder, name))
    return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`
  }
  const { icons } = JSON.parse(read('app.webmanifest')) as { icons: { src: string; sizes: string }[] }
  const said = icons.filter(({ sizes }) => sizes !== 'any')
  expect(said.map(({ src }) => sizeOfPicture(src))).toEqual(said.map(({ sizes }) => sizes))
  expect(said.map(({ sizes }) => sizes)).toEqual(['512x512'])
  const [, touch = ''] = /rel="apple-touch-icon" href="([^"]*)"/.exec(read('index.html')) ?? []
  expect(sizeOfPicture(touch)).toBe('180x180')
})

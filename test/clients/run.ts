/**
 * `bun run clients [orval …]`: generates clients from the document of a started server, by three generators as their users
 * run them, and by the guide; compiles a program against each, and runs it. Prints a line for each; ends with 1 if something
 * did not hold.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readBlocks } from '../support/guides'
import { makeKey } from '../support/keys'
import { launch, serving } from '../support/process'

interface Generator {
  readonly package: string
  /** Its command, for the address of the document. It writes beside the program. */
  readonly command: (address: string) => readonly string[]
  /** A file of settings that it reads. */
  readonly settings?: { readonly name: string; readonly text: (url: string) => string }
  /** Its program, if it is not that in programs/, and what that prints. */
  readonly program?: { readonly text: string; readonly prints: string }
}

const GUIDE = readBlocks(await Bun.file(join(import.meta.dir, '../../docs/guides/typescript-client.md')).text())
const blockOf = (language: string) => GUIDE.find((block) => block.language === language)?.text ?? ''

/** By the name of the program in programs/. */
const GENERATORS: Readonly<Record<string, Generator>> = {
  guide: {
    package: 'docs/guides/typescript-client',
    command: (address) => ['openapi-typescript', address, '--output', 'satchel.d.ts'],
    program: { text: blockOf('ts'), prints: blockOf('text').replaceAll('"', '').trimEnd() },
  },
  'openapi-fetch': {
    package: 'openapi-typescript',
    command: (address) => ['openapi-typescript', address, '--output', 'generated.ts'],
  },
  'hey-api': {
    package: '@hey-api/openapi-ts',
    command: (address) => ['openapi-ts', '--input', address, '--output', 'generated'],
  },
  orval: {
    package: 'orval',
    command: () => ['orval', '--config', 'orval.config.mjs'],
    // Its client has the address of the server in it.
    settings: {
      name: 'orval.config.mjs',
      text: (url) =>
        `export default { satchel: { input: '${url}/openapi.json', output: { target: 'generated.ts', client: 'fetch', baseUrl: '${url}' } } }`,
    },
  },
}

/** What each program sees, since each does the same. */
const EXPECTED = [
  'a page with Braga and Faro',
  'a page with Porto',
  'due at 17:30 on the 5th',
  'rated 3.0, now in learning',
  'found the note Porto',
  'create: done with water the plants, undone by DELETE, then 0 more',
  'nothing there: 404',
  'now Rent of May',
  'precondition_failed: 412',
].join('\n')

const OPTIONS = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  module: 'preserve',
  types: [],
  noEmit: true,
  strict: true,
  allowImportingTsExtensions: true,
}

const COMPILER = join(import.meta.dir, '../../node_modules/.bin/tsc')

/** Where the generators are installed, and each has a folder for its program. */
const folder = mkdtempSync(join(tmpdir(), 'satchel-clients-'))

/** Runs a program, or a command of a generator. @throws Error with what it said, if it fails */
async function run(cwd: string, [name = '', ...parameters]: readonly string[]): Promise<void> {
  const program = name.startsWith('/') ? name : join(folder, 'node_modules/.bin', name)
  const child = Bun.spawn([program, ...parameters], { cwd, stdout: 'pipe', stderr: 'pipe' })
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(said.join('').trim())
}

/** Generates a client of the server, compiles the program against it, and runs that. @throws Error for what did not hold */
async function check(name: string, generator: Generator, url: string): Promise<void> {
  const cwd = join(folder, name)
  const files: Record<string, string> = {
    'program.ts': generator.program?.text ?? (await Bun.file(join(import.meta.dir, 'programs', `${name}.ts`)).text()),
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify({ compilerOptions: OPTIONS, files: ['program.ts'] }),
    ...(generator.settings ? { [generator.settings.name]: generator.settings.text(url) } : {}),
  }
  for (const [file, text] of Object.entries(files)) await Bun.write(join(cwd, file), text)
  await run(cwd, generator.command(`${url}/openapi.json`))
  await run(cwd, [COMPILER, '-p', '.', '--pretty', 'false'])
  const { main } = await import(pathToFileURL(join(cwd, 'program.ts')).href)
  const lines = (await main(url, makeKey(Object.keys(GENERATORS).indexOf(name)))).join('\n')
  const expected = generator.program?.prints ?? EXPECTED
  if (lines !== expected) throw new Error(`the program saw\n${lines}\nand not\n${expected}`)
}

try {
  for (const file of ['package.json', 'bun.lock']) copyFileSync(join(import.meta.dir, file), join(folder, file))
  await run(folder, [process.execPath, 'install', '--frozen-lockfile'])
  const data = join(folder, 'data')
  const server = await serving(data, launch({ folder: data }))
  const names = process.argv.slice(2)
  for (const [name, generator] of Object.entries(GENERATORS)) {
    if (names.length > 0 && !names.includes(name)) continue
    const began = performance.now()
    const fault = await check(name, generator, server.url).then(
      () => null,
      (error: Error) => error.message,
    )
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    process.stdout.write(`${generator.package}: ${fault === null ? `held, in ${seconds} s` : `BROKEN: ${fault}`}\n`)
    if (fault !== null) process.exitCode = 1
  }
  await server.stop('SIGTERM')
} finally {
  rmSync(folder, { recursive: true })
}

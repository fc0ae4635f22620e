import { expect } from 'bun:test'
import { join } from 'node:path'
import { makeFolder } from '../support/folder'

/** The strictest options there are, without the types of any runtime: what a program of somebody else may have set. */
const OPTIONS = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  types: [],
  noEmit: true,
  strict: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
}

/** Writes files into a folder of their own, and returns its path. */
export async function writeProgram(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = makeFolder()
  const all = {
    ...files,
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }),
  }
  for (const [name, text] of Object.entries(all)) await Bun.write(join(folder, name), text)
  return folder
}

/** The errors of the compiler about a folder, one a line: its file, line and message, without those that explain one. */
export async function compile(folder: string): Promise<string[]> {
  const compiler = join(import.meta.dir, '../../node_modules/.bin/tsc')
  const child = Bun.spawn([process.execPath, compiler, '-p', folder, '--pretty', 'false'], {
    stdout: 'pipe',
    cwd: folder,
  })
  const lines = (await new Response(child.stdout).text()).split('\n').filter((line) => /^\S/.test(line))
  expect((await child.exited) === 0).toBe(lines.length === 0)
  return lines
}

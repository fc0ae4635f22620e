/**
 * `bun run test:browser [FILE…] [FLAG…]`: all the browser tests, or the files named, two files side by side in one Chromium, which
 * it starts and ends with them. The value of a flag follows an equals sign. Ends with the code of `bun test`.
 */
import { join } from 'node:path'
import { Glob } from 'bun'
import { chromium } from 'playwright-core'
import { optionsOfChromium } from './support'

let ended = false
let tests: Bun.Subprocess | null = null
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    ended = true
    tests?.kill(signal)
  })

process.exitCode = await run(process.argv.slice(2))

async function run(parameters: readonly string[]): Promise<number> {
  const options = { ...optionsOfChromium(), handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const browser = await chromium.launchServer(options)
  try {
    // Whoever ends us while the browser starts finds no tests to end.
    if (ended) return 1
    const named = parameters.some((parameter) => !parameter.startsWith('-'))
    const files = named ? [] : [...new Glob('*.browser.ts').scanSync({ cwd: import.meta.dir, absolute: true })].sort()
    tests = Bun.spawn(
      [process.execPath, 'test', '--timeout', '120000', '--parallel=2', '--no-isolate', ...files, ...parameters],
      {
        cwd: join(import.meta.dir, '../..'),
        env: { ...process.env, CHROMIUM_ENDPOINT: browser.wsEndpoint() },
        stdio: ['inherit', 'inherit', 'inherit'],
      },
    )
    return await tests.exited
  } finally {
    await browser.close()
  }
}

import { expect, test } from 'bun:test'
import { join } from 'node:path'

test('an error is written with its code and causes alone, and lines below the level are left out', async () => {
  const script = `
    const { createLog } = await import(${JSON.stringify(join(import.meta.dir, '../../src/log/log.ts'))})
    const { log, flush } = createLog('warn', () => 5)
    const error = new TypeError('a', { cause: new Error('b', { cause: 'c' }) })
    log.info({}, 'quiet')
    log.warn({ path: '/a' }, 'near')
    log.error({ err: Object.assign(error, { code: 'X', key: 'secret', self: error }), request_id: 'r' }, 'failed')
    await flush()`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const lines = (await new Response(child.stdout).text()).trim().split('\n')
  const stack = expect.stringContaining('Error')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 40, time: 5, path: '/a', msg: 'near' },
    {
      ...{ level: 50, time: 5, request_id: 'r', msg: 'failed' },
      err: { type: 'TypeError', message: 'a', code: 'X', stack, cause: { type: 'Error', message: 'b', stack } },
    },
  ])
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { slow } from '../support/full'
import { answers } from '../torture/answers'
import { clocks } from '../torture/clocks'
import { connections } from '../torture/connections'
import { disk } from '../torture/disk'
import { guesses } from '../torture/guesses'
import { imports } from '../torture/imports'
import { kill } from '../torture/kill'
import { nginx } from '../torture/nginx'
import { page } from '../torture/page'
import { pipelines } from '../torture/pipelines'
import { requests } from '../torture/requests'
import { temporary } from '../torture/temporary'

/** The rows of `bun run torture` in their short form: what must not harm a server. */

test('`bun run torture` starts, and names its rows', () => {
  const { stderr } = Bun.spawnSync([process.execPath, 'test/torture/run.ts', '--only=nothing'], {
    cwd: join(import.meta.dir, '../..'),
  })
  expect(stderr.toString()).toContain('--only some of kill,imports,disk,')
})

/** The same in every run; `bun run torture` takes others. */
const PLAN = { seed: 1, quick: true }

test.each([
  ['killed under a mixed load: nothing acknowledged is lost, nothing half done, no answer uncounted', kill],
  ['imports killed: each goes on by itself, and comes to the same as one in peace', imports],
  ['a full disk: 507 or 503 with the headers, nothing acknowledged is lost, and with room again it goes on', disk],
  ['a full folder for temporary files: all goes on, and nothing is written to it', temporary],
  ['idle and slow connections: all are held, and all are let go', connections],
  ['bad requests: no 5xx, no crash, the headers on every answer, no growth of memory', requests],
  ['forged chains through nginx: each outsider is itself, and none is the machine', nginx],
  ['pages of other sites: nothing that somebody has without a key is read, erased or outgrown', page],
  ['guesses of keys: a network learns nothing after its first uses, and its neighbours are served', guesses],
  ['a clock that jumps: nobody is frozen, nobody gets more, and who waits is told how long', clocks],
  ['requests behind one another: what got no answer is made once by its repeat', pipelines],
])('%s', async (_, row) => {
  const { broken } = await row(PLAN)
  expect(broken).toEqual([])
})

// It waits for the limits themselves: in the quick run test/gate/deadline.test.ts says what time it is.
slow(
  'answers that take too long: each request has a status with the headers by 25 s, and nothing goes on',
  async () => {
    expect((await answers(PLAN)).broken).toEqual([])
  },
)

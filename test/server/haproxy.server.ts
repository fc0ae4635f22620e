import { afterAll, expect, test } from 'bun:test'
import { startHaproxy } from '../support/cluster'
import { useDatabase } from '../support/database'
import { makeWorld } from '../support/world'

/** Real HAProxy, whose checks are HTTP/1.0 without a Host: GET, or OPTIONS unless another method is named. */

const world = await makeWorld()
afterAll(world.close)
const port = Number(new URL(world.listen()).port)

/** The result of the latest check of the only server, such as `UP L7OK 200`. */
async function readCheck(unix: string): Promise<string> {
  let text = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  await Bun.connect({
    unix,
    socket: {
      open: (socket) => void socket.write('show stat -1 4 -1\n'),
      data: (_, bytes) => {
        text += bytes.toString()
      },
      close: () => resolve(),
      error: (_, error) => reject(error),
    },
  })
  await promise
  const [names = [], values = []] = text.split('\n').map((line) => line.replace('# ', '').split(','))
  return ['status', 'check_status', 'check_code'].map((name) => values[names.indexOf(name)]).join(' ')
}

/** Waits until a check has this result. Between two results HAProxy says `UP 1/2` or `DOWN 1/2`. */
async function expectCheck(socket: string, result: RegExp): Promise<void> {
  const seen = new Set<string>()
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    const now = await readCheck(socket)
    if (result.test(now)) return
    seen.add(now)
  }
  expect([...seen]).toContain(result.source)
}

test.each(['option httpchk GET /readyz', 'option httpchk HEAD /readyz', 'option httpchk /readyz'])(
  '%s leaves a server in while it is ready, and out while it is not',
  async (check) => {
    const proxy = await startHaproxy([port], check)
    try {
      await expectCheck(proxy.socket, /^UP L7OK 200$/)
      await useDatabase(world.folder, (db) =>
        db.run('INSERT INTO schema_versions (version, applied_at) VALUES (9999, 0)'),
      )
      world.clock.now += 1000
      await expectCheck(proxy.socket, /^DOWN L7STS 503$/)
      expect((await fetch(`${proxy.url}/api`)).status).toBe(503)
      await useDatabase(world.folder, (db) => db.run('DELETE FROM schema_versions WHERE version = 9999'))
      world.clock.now += 1000
      await expectCheck(proxy.socket, /^UP L7OK 200$/)
      expect((await fetch(`${proxy.url}/api`)).status).toBe(200)
    } finally {
      proxy.child.kill('SIGKILL')
      await proxy.child.exited
    }
  },
)

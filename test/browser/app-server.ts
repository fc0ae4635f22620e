/** A server for the app in a process of its own, which can be killed and started again under open pages. */
import { freePort } from '../../bench/server'
import { makeFolder } from '../support/folder'
import { launch, serving } from '../support/process'
import type { RunningServer } from './support'

export interface KilledServer extends RunningServer {
  /** Kills it (SIGKILL), and starts it again at the same address with the same data. Resolves when it serves. */
  restart(): Promise<void>
  /** Does something for which the server must not be killed meanwhile. */
  whileUp<Value>(work: () => Promise<Value>): Promise<Value>
}

/** A server with nothing stored; `settings` as in the environment. */
export async function startProcess(settings: Readonly<Record<string, string>> = {}): Promise<KilledServer> {
  const folder = makeFolder()
  const options = { folder, settings: { ...settings, PORT: String(freePort()) } }
  let server = await serving(folder, launch(options))
  let last: Promise<unknown> = Promise.resolve()
  function whileUp<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = last.then(work)
    // What fails is told to who asked for it.
    last = result.catch(() => {})
    return result
  }
  return {
    url: `${server.url}/`,
    whileUp,
    restart: () =>
      whileUp(async () => {
        await server.stop('SIGKILL')
        server = await serving(folder, launch(options))
      }),
    // After a start that is under way, which would be left.
    stop: () =>
      whileUp(async () => {
        await server.stop('SIGKILL')
      }),
  }
}

import type { Encoder } from './encoder'
import { createLocalEncoder, type LocalEncoderDeps } from './local'
import { createRemoteEncoder, type RemoteDeps, type RemoteSettings } from './remote'

/** The encoder that the settings name. Imported only where they name one: without it none of this is loaded. */
export function openEncoder(
  settings: 'local' | RemoteSettings,
  deps: Omit<LocalEncoderDeps, 'later'> & RemoteDeps,
): Encoder & { close(): void } {
  if (settings === 'local') return createLocalEncoder({ ...deps, later })
  return Object.assign(createRemoteEncoder(settings, deps), { close() {} })
}

function later(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

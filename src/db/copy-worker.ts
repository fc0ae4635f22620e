/** The script of the Worker that copies a workspace; see sqlite.ts. */
import { copyWorkspace } from './copy.sqlite'

self.onmessage = async ({ data }) => {
  try {
    await copyWorkspace(data)
    postMessage(null)
  } catch (error) {
    if (error instanceof Error)
      postMessage({ message: error.stack ?? error.message, code: 'code' in error && error.code })
    else postMessage({ message: String(error) })
  }
}

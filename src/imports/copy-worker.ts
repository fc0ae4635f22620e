/** Copies a workspace in a Worker; see copyInWorker. */
import { copyWorkspace } from './copy.sqlite'

self.onmessage = ({ data }) => {
  try {
    copyWorkspace(data)
    postMessage(null)
  } catch (error) {
    postMessage(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

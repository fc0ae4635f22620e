/** The server itself, which tells its parent what it has loaded of meaning when it is asked. */
import '../../../src/main'

process.on('message', () => {
  const loaded = Object.keys(require.cache).filter((path) => path.includes('/src/search/meaning/'))
  process.send?.(loaded.map((path) => path.replace(/^.*\/(?=src\/)/, '')).toSorted())
})

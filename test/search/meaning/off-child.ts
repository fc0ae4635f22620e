/** The server itself, which tells its parent what it has loaded of meaning when it is asked. */
import '../../../src/main'

process.on('message', () => {
  const loaded = Object.keys(require.cache).filter((path) => /\/src\/search\/meaning\/|@lat\.md/.test(path))
  process.send?.(loaded.map((path) => path.replace(/^.*\/(?=src\/|@lat\.md)/, '')).toSorted())
})

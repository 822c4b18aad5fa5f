// npm run test:image [-- --cluster | --arm64]: builds the image and runs it against Docker.
import { runNode, tool, vitest } from './tool.mjs';

const { cluster, arm64 } = tool('test:image')
  .description(
    [
      "Builds the image and tests what containers of it promise. It uses the Docker engine that `docker` reaches. Without one, as root, it starts Debian's",
      '(packages docker.io and debootstrap) on a socket of its own, and stops it afterwards. Where no registry of images can be reached, it makes its base image',
      "from Debian's packages and this Node. Otherwise the tests are skipped.",
    ].join(' '),
  )
  .option('--cluster', 'test docker-compose.cluster.yml instead, with stand-ins for EventStoreDB and MongoDB. Needs Go')
  .option('--arm64', 'build nothing: check that every package of the image has a file for linux/arm64. Needs npm run setup and PyPI')
  .addHelpText('after', '\n  npm run test:image -- --cluster')
  .parse()
  .opts();

runNode([vitest, 'run', '--config', 'vitest.image.config.ts'], { IMAGE_FORM: arm64 ? 'arm64' : cluster ? 'cluster' : 'container' });

import { configWithoutCloudSupport } from "@n8n/node-cli/eslint";

// Not offered in n8n Cloud: servers are self-hosted.
const licence = { rules: { "n8n-nodes-base/community-package-json-license-not-default": "off" } };

export default [...configWithoutCloudSupport, { files: ["package.json"], ...licence }];
